// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/launch.hpp"

namespace tessera {

/// The progress of a loop, which is the same on all ranks.
struct LoopProgress {
  /// The number of the loop in the pipeline.
  int loop = -1;
  /// The number of turns that have ended, including the turns of an earlier run that this run continues.
  std::int64_t turns = 0;
  /// The number of turns that an earlier run has computed; 0 if this run continues no earlier run.
  std::int64_t resumed_at = 0;
  /// The residual of the turn that has ended last. The residual is 0 if the loop has none, and may be 0 when
  /// Bindings::before_turn is called.
  double residual = 0;
  /// Whether the condition of the loop holds after the turn that has ended last.
  bool has_converged = false;
};

/// A function that fills this rank's part of an array with points from `source`. `array` is the id of the
/// array in the pipeline. The array must be one that a loop carries from turn to turn (see carried_arrays).
using LoadArray = std::function<void(ArrayId array, BlockSource& source)>;
/// A function that passes this rank's block of an array to `sink`. `array` is the id of the array in the
/// pipeline. The array must be one that the loop carries from turn to turn (see carried_arrays).
using StoreArray = std::function<void(ArrayId array, BlockSink& sink)>;

/// The sources, sinks and functions that a run of a plan calls. The sources and sinks must outlive the run.
struct Bindings {
  /// The source of each input, by the input's name. An input without a source is not read, and keeps the
  /// values that it has in memory.
  std::map<std::string, BlockSource*, std::less<>> sources;
  /// The sink of each output, by the output's name. An output without a sink is not written, and stays in
  /// memory.
  std::map<std::string, BlockSink*, std::less<>> sinks;
  /// Called before every turn of a loop.
  std::function<void(const LoopProgress&)> before_turn = {};
  /// Called after every turn of a loop.
  std::function<void(const LoopProgress&)> after_turn = {};
  /// Called once after the last turn of a loop.
  std::function<void(const LoopProgress&)> after_loop = {};
  /// Called by a PlanInstance before a loop that is not inside another loop. Returns the number of turns that
  /// an earlier run has computed; 0 if the loop begins with its first turn. The number must be the same on
  /// all ranks, and less than LoopDeclaration::maximum. If the number is not 0, the function must have called
  /// `load` for all arrays that the loop carries from turn to turn (see carried_arrays).
  std::function<std::int64_t(int loop, const LoadArray& load)> resume_loop = {};
  /// Called by a PlanInstance after each turn, or each round of turns, of a loop that is not inside another
  /// loop, unless the condition of the loop holds. The function may call `store` for all arrays that the loop
  /// carries from turn to turn (see carried_arrays), so that `resume_loop` can load these arrays in a later
  /// run. Either all ranks call `store`, or none does.
  std::function<void(const LoopProgress&, const StoreArray& store)> keep_loop = {};
  /// Returns whether `look` shall be called after the turn that ends as the turn number `turn` of a loop,
  /// counted from 1. The result must be the same on all ranks. A round of turns has no arrays of the turns
  /// inside. If `look` shall be called after such a turn, the turns up to it are therefore computed one by
  /// one.
  std::function<bool(int loop, std::int64_t turn)> looks_after = {};
  /// Called by a PlanInstance after each turn that `looks_after` names, of a loop that is not inside another
  /// loop. The function may call `store` for all arrays that the loop carries from turn to turn (see
  /// carried_arrays), which have their values after this turn. Either all ranks call `store`, or none does.
  std::function<void(const LoopProgress&, const StoreArray& store)> look = {};
};

/// A function that is called with each step of a plan when the step begins. It can be used to show progress
/// and to measure times.
using StepObserver = std::function<void(const PlanNode&)>;

/// Memory for the arrays of a plan, which may be used for one plan after another. Its contents do not matter.
struct ArrayMemory {
  /// Memory that has been used before. It is used again if it is large enough for the plan, and then it is
  /// not touched by the threads that compute first, as new memory is.
  Kokkos::View<std::byte*, MemorySpace> bytes;
  /// The number of bytes that new memory has at least.
  std::int64_t at_least = 0;
  /// Which threads touch new memory first. Kernels must not be launched while another thread launches some.
  HostMode touched_by = HostMode::kernels;
  /// The inputs and outputs that get no memory, since blocks of the caller will be bound to them before they
  /// are used. All of them must be arrays that PlanInstance::bind does not refuse.
  std::vector<std::string> bound = {};
};

/// The values of global reductions that the plan of one band hands on to the plan of the next band. The entry
/// of a reduction holds the bytes of its partial value over all bands so far. An entry is empty as long as
/// the reduction has no value. The values are the same on all ranks.
using CarriedValues = IdVector<ArrayId, std::vector<std::byte>>;

/// Throws DivergedError if `value`, the residual with the name `residual` of the loop `loop` after `turns`
/// turns, is not finite.
void check_residual(const std::string& loop, std::int64_t turns, const std::string& residual, double value);

/// Places the buffers of a plan without those whose entry in `is_left_out` is true. Memory that only such
/// buffers would use is left out, so that the others move together. Writes the offset of each buffer to
/// `offsets`, which is -1 for a buffer that is left out. Returns the bytes of the memory for all others.
std::int64_t place_without(const Plan& plan, const IdVector<BufferId, bool>& is_left_out,
                           IdVector<BufferId, std::int64_t>& offsets);

}  // namespace tessera
