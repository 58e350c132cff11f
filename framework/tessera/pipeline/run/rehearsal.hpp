// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/pipeline/run/bindings.hpp"

namespace tessera {

/// Runs the plans of all ranks inside one process, without MPI. Each step runs for one rank after the other,
/// and messages are copies in memory. Tests try 64 ranks with it in a second.
class Rehearsal {
 public:
  /// Prepares the plans of all ranks, in order, which come from make_plans or from a file. Throws
  /// InternalError when the plans do not agree on their messages (see find_message_mismatch).
  Rehearsal(const Algorithm& pipeline, const std::vector<Plan>& plans);

  ~Rehearsal();
  /// Takes over the plans and the memory of another rehearsal, which must not be used any more.
  Rehearsal(Rehearsal&&) noexcept;

  /// Reads the inputs, computes and writes the outputs of all ranks. Each source and sink is called once per
  /// rank.
  void run(const Bindings& bindings);

  /// The plan of a rank, which is less than rank_count().
  const Plan& plan(int rank) const;
  /// The number of ranks.
  int rank_count() const;

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
