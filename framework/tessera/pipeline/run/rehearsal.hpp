// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/pipeline/run/bindings.hpp"

namespace tessera {

/// Runs the plans of all ranks inside one process, without MPI. Each step runs for one rank after the other,
/// and messages are replaced by copies in memory. Tests can thus run the plans of many ranks in a short time.
class Rehearsal {
 public:
  /// Prepares a run of `plans`, which has one plan for each rank, in the order of the ranks. The plans come
  /// from make_plans. Throws InternalError if the plans do not agree on their messages (see
  /// find_message_mismatch).
  Rehearsal(const Algorithm& pipeline, const std::vector<Plan>& plans);

  ~Rehearsal();
  /// Takes over the plans and the memory of another rehearsal, which must not be used any more.
  Rehearsal(Rehearsal&&) noexcept;

  /// Runs the plans of all ranks: reads the inputs, computes the stages and writes the outputs. Each source
  /// and sink is called once for each rank.
  void run(const Bindings& bindings);

  /// The plan of `rank`, which must be less than rank_count().
  const Plan& plan(int rank) const;
  /// The number of ranks.
  int rank_count() const;

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
