// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "tessera/pipeline/kernel/access_monitor.hpp"
#include "tessera/view/array_reference.hpp"
#include "tessera/view/compat.hpp"

namespace tessera {

/// What the framework may ask of a stage, without its types.
class StageKernel {
 public:
  virtual ~StageKernel() = default;

  /// Writes the boxes of the inputs, one per input, that the body may read while it computes `box`, which
  /// must not be empty.
  virtual void required(const Box& box, Box* needs) const = 0;

  /// Computes `box` on the calling thread. Every host mode calls this one function, so that all modes give
  /// the same bits. The input arrays must hold what `required(box)` says. One output per array of the stage.
  virtual void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
                      AccessMonitor monitor) const = 0;

  /// Whether the rows of the stage are columns of what it reads: tiles should then be high.
  virtual bool swaps_rows() const { return false; }

  /// Enqueues the computation of `box` as a kernel: how devices compute.
  virtual void launch(const ExecutionSpace& execution, const ArrayReference* inputs,
                      const ArrayReference* outputs, const Box& box) const = 0;
};

/// A global reduction without its types: partial values, each in `value_bytes()` of memory aligned to 64
/// bytes. Its `region` adds the points of a box to the partial value at the output's origin; its `launch`
/// writes `device_shares()` partial values there.
class ReductionKernel : public StageKernel {
 public:
  virtual std::int64_t value_bytes() const = 0;
  int device_shares() const;
  virtual void init(std::byte* value) const = 0;
  virtual void join(std::byte* into, const std::byte* other) const = 0;
  /// Writes the elements of the result, one after the other.
  virtual void store(const std::byte* value, std::byte* result) const = 0;
  /// What joins values in messages.
  virtual MPI_User_function* join_function() const = 0;
};

/// Where a stage of a group finds one of its arrays in a tile: in memory, or in the team's scratch, where the
/// stage `member` of the group writes it without any padding.
struct GroupArray {
  ArrayReference memory;
  int member = -1;
  std::int64_t scratch_offset = 0;
  std::int64_t element_size = 0;
};

/// The tiles of a group of stages; all of it lies where kernels run.
struct GroupTiles {
  std::int64_t tile_count = 0;
  /// Tile t needs the box boxes[t * stages + s] of stage s; stages that are computed elsewhere have empty
  /// ones.
  const Box* boxes = nullptr;
  /// The inputs, then the outputs, of stage 0, of stage 1, ...
  const GroupArray* arrays = nullptr;
  std::int64_t scratch_bytes = 0;
};

/// The stages of a fusable group in one kernel: a team per tile, a barrier between stages.
class GroupKernel {
 public:
  virtual ~GroupKernel() = default;

  /// Enqueues the computation of all tiles.
  virtual void launch(const ExecutionSpace& execution, const GroupTiles& tiles) const = 0;
};

}  // namespace tessera
