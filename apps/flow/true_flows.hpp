// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "flow_graph.hpp"
#include "tessera/app/graph_application.hpp"
#include "tessera/io/image_info.hpp"

namespace flow {

/// The true flows of the pairs of a series, if the deck names them by `truth.files`, and the errors of the
/// computed ones.
class TrueFlows {
 public:
  /// Looks at the files, the flows of pairs of frames with the points `frame`. `setting` must outlive this
  /// object. Collective. Throws InputError if one of them cannot be such a flow.
  TrueFlows(const tessera::app::GraphSetting& setting, const tessera::Box& frame);

  /// Throws InputError if there are files, but more or fewer than pairs. Not collective.
  void check_count(std::int64_t pairs) const;

  /// Returns the files; none if the deck names none.
  const std::vector<std::string>& files() const { return files_; }
  /// Returns whether the files must be read by one thread at a time.
  bool is_read_by_one() const;
  /// Reads the true flow of a pair that has begun.
  void read(Pair& pair) const;

  /// Keeps the errors of a pair. One thread may call this function at a time.
  void keep(const Pair& pair);
  /// Says and reports the errors of all pairs, and their means over the pairs whose truth is known at any
  /// pixel. Collective.
  void report(tessera::app::GraphRunner& runner, MPI_Comm communicator);

 private:
  const tessera::deck::Deck& deck_;
  std::vector<std::string> files_;
  std::vector<tessera::io::ImageInfo> infos_;
  /// The errors of the pairs of this rank, by the numbers of the pairs, and 0 for other pairs.
  std::vector<std::array<double, error_names.size()>> errors_;
};

}  // namespace flow
