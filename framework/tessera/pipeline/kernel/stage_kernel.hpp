// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "tessera/pipeline/kernel/access_monitor.hpp"
#include "tessera/view/array_reference.hpp"
#include "tessera/view/compat.hpp"

namespace tessera {

/// The interface through which the framework uses a stage without knowing its types.
class StageKernel {
 public:
  virtual ~StageKernel() = default;

  /// Writes the boxes of the inputs, one per input, that the body may read while it computes `box`, which
  /// must not be empty. Throws InternalError as Footprint::required does.
  virtual void required(const Box& box, Box* needs) const = 0;

  /// Computes `box` on the calling thread. Every host mode calls this one function, so that all modes give
  /// the same bits. `inputs` has one array per input, which must hold what `required(box)` says; `outputs`
  /// has one array per output of the stage. Accesses outside the footprint are reported to `monitor` in
  /// builds with TESSERA_CHECKS.
  virtual void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
                      AccessMonitor monitor) const = 0;

  /// Whether rows of the stage are columns of an input: tiles should then be high.
  virtual bool swaps_rows() const { return false; }

  /// Enqueues the computation of `box` as a kernel on `execution`, as devices compute. It does not wait.
  virtual void launch(const ExecutionSpace& execution, const ArrayReference* inputs,
                      const ArrayReference* outputs, const Box& box) const = 0;
};

/// A global reduction without its types. It works on partial values, each of `value_bytes()` bytes of memory
/// aligned to 64 bytes. `region` adds the points of a box to the partial value at the output's origin;
/// `launch` writes `device_shares()` partial values there.
class ReductionKernel : public StageKernel {
 public:
  /// The bytes of one partial value.
  virtual std::int64_t value_bytes() const = 0;
  /// The number of partial values that `launch` makes.
  int device_shares() const;
  /// Makes `value` the partial value of no points.
  virtual void init(std::byte* value) const = 0;
  /// Adds the points of `other` to `into`.
  virtual void join(std::byte* into, const std::byte* other) const = 0;
  /// Writes the elements of the result of `value`, one after the other, to `result`.
  virtual void store(const std::byte* value, std::byte* result) const = 0;
  /// The function that joins values in an MPI_Op.
  virtual MPI_User_function* join_function() const = 0;
};

/// Where a stage of a group finds one of its arrays in a tile: in memory, or in the team's scratch, where
/// stage `member` of the group writes it without padding.
struct GroupArray {
  /// The array in memory, if `member` is -1.
  ArrayReference memory;
  /// The number in the group of the stage that computes the array into scratch; -1: the array is in memory.
  int member = -1;
  /// The place where the array begins, in bytes from the start of the team's scratch.
  std::int64_t scratch_offset = 0;
  /// The bytes of one point.
  std::int64_t element_size = 0;
};

/// The tiles of a group of stages. All that it points to lies in the memory space where kernels run.
struct GroupTiles {
  /// The number of tiles.
  std::int64_t tile_count = 0;
  /// Tile t needs the box boxes[t * stages + s] of stage s; the boxes of stages that are computed elsewhere
  /// are empty.
  const Box* boxes = nullptr;
  /// The inputs and then the outputs of stage 0, those of stage 1, and so on.
  const GroupArray* arrays = nullptr;
  /// The bytes of scratch memory of one team.
  std::int64_t scratch_bytes = 0;
};

/// The stages of a fusable group in one kernel of a device: a team per tile, and a barrier between stages.
class GroupKernel {
 public:
  virtual ~GroupKernel() = default;

  /// Enqueues the computation of all tiles on `execution`. It does not wait.
  virtual void launch(const ExecutionSpace& execution, const GroupTiles& tiles) const = 0;
};

}  // namespace tessera
