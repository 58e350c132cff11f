// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/group/program_plan.hpp"
#include "tessera/group/program_run.hpp"
#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/view/block.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::group {

/// The memory of a rank for arrays and messages between tasks. It is host memory.
class RankMemory {
 public:
  /// Allocates the memory of a plan. The arguments must outlive the object.
  RankMemory(const Program& program, const ProgramPlan& plan);

  /// Copies the points of a block that the rank keeps of the array `array` of the program.
  void keep(int array, const HostBlock& block) const;
  /// Fills a block with the points of the array that the rank keeps or has received.
  void fill(int array, const HostBlock& block) const;
  /// Returns the points of a held array.
  HostBlock held(const HeldArray& held) const;
  /// Returns the held points of an array. The block is empty if the rank keeps none.
  HostBlock held(int array) const;
  /// Copies the points of a message that is sent to the place of the message, unless it is sent in place.
  void pack(const Parcel& parcel) const;
  /// Returns the address of a message.
  std::byte* message(const Parcel& parcel) const { return bytes_.memory().data() + parcel.offset; }

 private:
  /// Calls use(block) for the points of each box of a message.
  template <class Use>
  void for_each_box(const Parcel& parcel, const Use& use) const;

  const Program& program_;
  const ProgramPlan& plan_;
  Block<Kokkos::HostSpace> bytes_;
};

/// An array of a program as an input or an output of a task: gives the points that earlier tasks have
/// computed, or keeps points for later tasks.
class KeptArray final : public BlockSource, public BlockSink {
 public:
  /// The object is called once for each of the ranks whose memories are given, in this order.
  KeptArray(std::vector<const RankMemory*> ranks, int array) : ranks_(std::move(ranks)), array_(array) {}
  void read(const HostBlock& block) override { next().fill(array_, block); }
  void write(const HostBlock& block) override { next().keep(array_, block); }

 private:
  const RankMemory& next() { return *ranks_[next_++ % ranks_.size()]; }

  std::vector<const RankMemory*> ranks_;
  int array_;
  std::size_t next_ = 0;
};

/// The sources and sinks of a task, which take its inputs from the memories of ranks and keep its outputs
/// there.
class TaskEdges {
 public:
  /// Makes no sources and sinks.
  TaskEdges() = default;
  /// Makes the sources and sinks of the task number `task`. `ranks` are the memories of the ranks that run in
  /// this process, in the order that plans call sources and sinks in.
  TaskEdges(const Program& program, TaskId task, const std::vector<const RankMemory*>& ranks);

  /// The sources and sinks, for a run of the pipeline of the task.
  const Bindings& bindings() const { return bindings_; }

 private:
  std::vector<std::unique_ptr<KeptArray>> arrays_;
  Bindings bindings_;
};

/// Reads the points of all inputs of a program that a rank reads at the start. Collective if several ranks
/// run. Throws InternalError if an input has no source, and the errors of the sources.
void read_inputs(const Program& program, const RankMemory& memory, const ProgramBindings& bindings);

/// Writes the points `box` of an array, which the rank keeps or has received.
void write_block(const Program& program, const RankMemory& memory, int array, const Box& box,
                 BlockSink& sink);

/// Writes the points of all outputs that a rank writes at the stop. Collective if several ranks run. Throws
/// the errors of the sinks.
void write_outputs(const Program& program, const ProgramPlan& plan, const RankMemory& memory,
                   const ProgramBindings& bindings);

}  // namespace tessera::group
