// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/group/program_run.hpp"

namespace tessera::group {

/// Runs the plans of all ranks of a program inside one process, without MPI. Tasks run one after the other,
/// and each is a Rehearsal of its group. Messages between tasks are copied as late as the plans allow, so
/// that a plan that uses memory too early gives other results.
class ProgramRehearsal {
 public:
  /// Prepares a run of `plans`, which has the plans of all ranks of `program`, in the order of the ranks.
  /// `program` must outlive the object. Throws InternalError if ranks do not agree on their messages.
  ProgramRehearsal(const Program& program, std::vector<ProgramPlan> plans);
  ~ProgramRehearsal();
  ProgramRehearsal(const ProgramRehearsal&) = delete;
  ProgramRehearsal& operator=(const ProgramRehearsal&) = delete;

  /// Runs the program. Each source and sink is called once for each rank.
  void run(const ProgramBindings& bindings);

  /// Runs the program for `count` items of a stream, whose tasks take turns as on the ranks of MPI. The plans
  /// must be those of a stream. Each source is opened once for each rank that reads points, and each sink is
  /// made once, for no communicator, and called once for each rank that computes the output. Throws the
  /// errors of the first item that fails.
  void run(std::int64_t count, const StreamBindings& bindings);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::group
