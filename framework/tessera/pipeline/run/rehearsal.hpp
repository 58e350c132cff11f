// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/pipeline/run/bindings.hpp"

namespace tessera {

/// All ranks of a run inside one process, without MPI: the steps of their plans side by side, messages as
/// copies. Tests try 64 ranks with it in a second.
class Rehearsal {
 public:
  /// Takes the plans of all ranks, in order: those of make_plans, or from a file. Throws InternalError when a
  /// rank sends a message that no rank receives, or expects one that no rank sends.
  Rehearsal(const Algorithm& pipeline, const std::vector<Plan>& plans);

  ~Rehearsal();
  Rehearsal(Rehearsal&&) noexcept;

  /// Reads inputs, computes, writes outputs: sources and sinks are called once per rank.
  void run(const Bindings& bindings);

  const Plan& plan(int rank) const;
  int rank_count() const;

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
