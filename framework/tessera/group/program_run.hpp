// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/cost/work_costs.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/exchange.hpp"

namespace tessera::group {

/// The sources and sinks of a run of a program. They must outlive the run.
struct ProgramBindings {
  /// The source of each input of the program, by the input's name.
  std::map<std::string, BlockSource*, std::less<>> sources;
  /// The sink of each output of the program, by the output's name. An output without a sink is not written.
  std::map<std::string, BlockSink*, std::less<>> sinks;
  /// Is called on this rank whenever a part of a step begins. It may be empty.
  PartObserver begins = {};
  /// True if the ranks of a group wait for each other before each task. Otherwise a rank that is early waits
  /// in a part of the task.
  bool begins_together = false;
};

/// The sources and sinks of the items of a stream. Items are numbered from 0 on.
struct StreamBindings {
  /// Returns the source of an input of the program for an item. Each rank whose tasks read points of the
  /// input calls it, and reads these points from the source for itself alone.
  std::function<std::unique_ptr<BlockSource>(std::int64_t item, const std::string& input)> source;
  /// Returns the sink of an output of the program for an item, or null if the output is not written.
  /// Collective over the ranks of `group`, which compute the output and write it together.
  std::function<std::unique_ptr<BlockSink>(std::int64_t item, const std::string& output, MPI_Comm group)>
      sink;
  /// Is called on each rank after it has ended an item. It may be empty.
  std::function<void(std::int64_t item)> ended = {};
  /// Returns whether no more items are to be begun. Every rank calls it. It may be empty.
  std::function<bool()> is_stopped = {};
  /// Is called on each rank whenever a part of a step begins. It may be empty.
  PartObserver begins = {};
  /// True if the stream goes on after an item that has failed.
  bool skips_failures = false;
};

/// An item that has failed on a rank: it could not be read, computed or written.
struct FailedItem {
  /// The number of the item.
  std::int64_t item = 0;
  /// The message of the error.
  std::string reason;
};

/// The times of a task on a rank, in seconds.
struct StreamTimes {
  /// The number of the task, start_task or stop_task.
  TaskId task{};
  /// The number of items that the task has computed.
  std::int64_t items = 0;
  /// The sum of the numbers of these items.
  double numbers = 0;
  /// The sum of the times when the rank began the task, from the beginning of the run on.
  double begins = 0;
  /// The sum of the times when the rank ended the task, from the beginning of the run on.
  double ends = 0;
  /// The seconds that the rank waited for messages before it began the task.
  double waited = 0;
};

/// The work of a rank in a run. A single run is like a stream of one item.
struct StreamOutcome {
  /// The number of items that were begun, on all ranks together.
  std::int64_t begun = 0;
  /// True if is_stopped() was true after one of the items, on any rank.
  bool is_stopped = false;
  /// The items that have failed on this rank. If several ranks of a group have failed together, only the
  /// first one of them has the item.
  std::vector<FailedItem> failed;
  /// The times of the tasks of this rank. A single run also has the times of the start and the stop.
  std::vector<StreamTimes> tasks;
  /// The times when outputs were written, from the beginning of the run on. The first rank that writes an
  /// output has its time.
  std::vector<double> written;
  /// The seconds that this rank read in a stream.
  double reading = 0;
  /// The seconds that this rank wrote in a stream.
  double writing = 0;
};

class RankMemory;
class RankTasks;

/// A program that is ready to run on the ranks of a communicator. Messages between tasks go directly from the
/// ranks that compute points to the ranks that read them, and travel while ranks compute. A run may be
/// repeated.
///
/// A stream runs for one item after the other, without a barrier between them: a group works on the next item
/// while other groups still work on the last one. Each rank keeps a few items at a time (see
/// ProgramPlan::slots), and its messages of an item are gone before their memory is used for another one. An
/// item that has failed on a rank is not computed any further by tasks that need what the rank sends, and is
/// not written.
class ProgramInstance {
 public:
  /// Allocates and prepares everything that the plan needs. Collective: every rank passes its own plan, and
  /// the plans of all ranks come from equal planners. `program` must outlive the instance. Throws the
  /// exceptions of PlanInstance, and InternalError if the plan is for another rank or number of ranks.
  ProgramInstance(const Program& program, ProgramPlan plan, MPI_Comm communicator,
                  const Transport& transport = {});
  ~ProgramInstance();
  ProgramInstance(const ProgramInstance&) = delete;
  ProgramInstance& operator=(const ProgramInstance&) = delete;

  /// Runs the program. Collective. If a task fails on some ranks, all ranks throw its error before anything
  /// is written. Throws InternalError if an input has no source.
  StreamOutcome run(const ProgramBindings& bindings);

  /// Runs the program for `count` items of a stream. The plan must be for a stream. Collective. After an item
  /// that has failed, the items that were begun meanwhile are completed, but no more are begun, unless
  /// `bindings` says otherwise.
  StreamOutcome run(std::int64_t count, const StreamBindings& bindings);

  /// The plan of this rank.
  const ProgramPlan& plan() const;

 private:
  std::unique_ptr<RankTasks> tasks_;
};

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
  /// must be for a stream. Each source is opened once for each rank that reads points, and each sink is
  /// made once, for no communicator, and called once for each rank that computes the output. Throws the
  /// errors of the first item that fails.
  void run(std::int64_t count, const StreamBindings& bindings);

 private:
  /// Returns the message that the rank `receiver` awaits. Throws InternalError if it is not sent.
  const Parcel& sent(const Parcel& received, int receiver) const;
  void receive(int rank, int step, std::int64_t item) const;
  void send(int rank, int step, std::int64_t item) const;
  /// Runs the task at `place` on all ranks of its group.
  void run_task(int place, std::int64_t item) const;
  void read(int rank, std::int64_t item, const StreamBindings& bindings) const;
  /// Writes the outputs of the task at `place`.
  void write(int place, std::int64_t item, const StreamBindings& bindings) const;
  /// Returns the number of the step of a rank at `place`, or -1.
  int step_at(int rank, int place) const;
  /// Returns the step of any rank of the task at `place`.
  const RankStep& step_of_any_rank(int place) const;
  /// Returns the memory of a rank for an item.
  const RankMemory& memory(int rank, std::int64_t item) const;

  const Program& program_;
  /// The plans of each rank, and its memories: one for each item that it works on at the same time.
  IdVector<int, ProgramPlan> plans_;
  IdVector<int, std::vector<std::unique_ptr<RankMemory>>> memories_;
};

/// Runs a program on 1, 2, 4, ... ranks and on all ranks of a communicator, every task on all of them, and
/// returns the seconds of each task, in the order of the tasks: the seconds of the slowest rank in the
/// fastest of `runs` runs. Outputs are not written. Collective. Throws the exceptions of ProgramPlanner and
/// of ProgramInstance.
IdVector<TaskId, std::vector<cost::TimedRanks>> profile(MPI_Comm communicator, const Program& program,
                                                        const Target& target, const ProgramBindings& bindings,
                                                        int runs = 5, const Transport& transport = {});

}  // namespace tessera::group
