// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/view/block_layout.hpp"
#include "tessera/view/compat.hpp"

namespace tessera {

/// An access of a stage body to a point of an input that lies outside the footprint of the box that is
/// computed.
struct AccessViolation {
  /// The id of the stage.
  int stage = 0;
  /// The number of the input among the stage's inputs, from 0.
  int input = 0;
  /// The first dimension where the point lies outside.
  int dimension = 0;
  /// The point that was read. Its coordinates are 0 in dimensions that the input does not have.
  std::int64_t point[max_dimensions] = {};
  /// The footprint, which is the box of the input that the body may read.
  Box footprint;
};

/// Keeps the first violation that any thread reports.
class AccessViolations {
 public:
  /// Keeps the violation unless another one was reported before. Several threads may call this function at
  /// the same time.
  void report(const AccessViolation& violation) {
    if (claimed_.exchange(true)) return;
    first_ = violation;
    complete_.store(true, std::memory_order_release);
  }
  /// Returns the violation that was reported first, or null if there was none. This function may be called
  /// only when no thread is computing.
  const AccessViolation* first() const {
    return complete_.load(std::memory_order_acquire) ? &first_ : nullptr;
  }

 private:
  std::atomic<bool> claimed_ = false;
  std::atomic<bool> complete_ = false;
  AccessViolation first_;
};

/// Reports the accesses outside the footprint that one stage makes to one of its inputs. Such an access reads
/// 0. Accesses are reported only on hosts, in builds with TESSERA_CHECKS.
struct AccessMonitor {
  /// The object that gets reports of violations.
  AccessViolations* violations;
  /// The id of the stage.
  int stage;
  /// The number of the input among the stage's inputs, from 0.
  int input = 0;

  /// Reports a read of `point`, which lies outside `footprint` in `dimension`. Returns 0 in place of the
  /// value of the point.
  template <class T>
  T& outside(const Box& footprint, const int* point, int dimension) const {
    AccessViolation violation{stage, input, dimension, {}, footprint};
    for (int d = 0; d < footprint.dimensions; ++d) violation.point[d] = point[d];
    violations->report(violation);
    static T zero{};
    return zero;
  }
};

/// A dimension along which a stage computes all points together: the points 0 to extent - 1.
struct WholeDimension {
  /// The number of the dimension, x first.
  int dimension;
  /// The number of points.
  int extent;
};

/// The interface through which the framework uses a stage without knowing its types.
class StageKernel {
 public:
  virtual ~StageKernel() = default;

  /// Writes to `needs` the box of each input that the body may read while it computes `box`, which must not
  /// be empty. Throws InternalError if the footprint cannot be found (see Footprint::required).
  virtual void required(const Box& box, Box* needs) const = 0;

  /// Computes `box` on the calling thread. Hosts always use this function, whether one thread or all threads
  /// compute (see HostMode), so that the results have the same bits in both cases. `inputs` has one array for
  /// each input of the stage. Each array must hold the box of the input that `required` gives for `box`.
  /// `outputs` has one array for each output of the stage. In builds with TESSERA_CHECKS, accesses outside
  /// the footprint are reported to `monitor`.
  virtual void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
                      AccessMonitor monitor) const = 0;

  /// Whether rows of the stage are columns of an input (see Footprint::swaps_rows). The tiles of such a stage
  /// should be high.
  virtual bool swaps_rows() const { return false; }
  /// Whether rows of the stage are columns of an input, but the body lacks the member `transposes` (see
  /// Pipeline::stage). With this member, hosts would compute the stage several times as fast.
  virtual bool could_transpose() const { return false; }

  /// The kernel that computes the points, if this kernel only adds to it what lies beyond periodic sides;
  /// otherwise this kernel itself.
  virtual const StageKernel& unwrapped() const { return *this; }

  /// Returns the operations of float that computing a point takes about as long as, or 0 if they are not
  /// known. Estimates count them where no cost of the stage was measured (see cost::estimate).
  virtual double operations_per_point() const { return 0; }

  /// Returns the bytes of memory that one call of `region` allocates for itself while it computes `box`.
  /// Plans count this memory.
  virtual std::int64_t library_bytes(const Box& /*box*/) const { return 0; }

  /// Whether only hosts can compute the stage. Plans for devices compute such a stage by `region`, between
  /// copies of its arrays in host memory (see is_staged), and never call `launch`.
  virtual bool needs_host() const { return false; }

  /// Enqueues on `execution` a kernel that computes `box`. Devices compute in this way. The arrays `inputs`
  /// and `outputs` are the same as for `region`. On a device, the call does not wait for the kernel.
  virtual void launch(const ExecutionSpace& execution, const ArrayReference* inputs,
                      const ArrayReference* outputs, const Box& box) const = 0;
};

/// The interface through which the framework uses a global reduction without knowing its types. A partial
/// value is the reduction of some of the points, and takes `value_bytes()` bytes. The memory for partial
/// values is aligned to 64 bytes. `region` adds the points of a box to the partial value at the origin of the
/// output. `launch` writes `device_shares()` partial values, one after the other, from the origin of the
/// output on, and joins them until `joined_shares()` are left.
class ReductionKernel : public StageKernel {
 public:
  /// Returns the number of bytes of one partial value.
  virtual std::int64_t value_bytes() const = 0;
  /// Whether the reduction takes in boxes of several arrays, which need not have the same dimensions. Then no
  /// stage contributes its tiles to the reduction.
  virtual bool takes_whole_boxes() const { return false; }
  /// Returns the number of partial values that `launch` needs memory for.
  virtual int device_shares() const;
  /// Returns the number of partial values that `launch` leaves. They are the first ones in the memory.
  int joined_shares() const;
  /// Writes the partial value of no points to `value`.
  virtual void init(std::byte* value) const = 0;
  /// Adds the partial value `other` to the partial value `into`.
  virtual void join(std::byte* into, const std::byte* other) const = 0;
  /// Writes the result of the reduction to `result`, given the partial value of all points. The elements of
  /// the result follow each other in memory.
  virtual void store(const std::byte* value, std::byte* result) const = 0;
  /// Returns the function that joins the partial values of ranks, for MPI_Op_create.
  virtual MPI_User_function* join_function() const = 0;
};

/// Where an input or output of a stage lies while a team computes a tile of a fusable group. The array lies
/// either in memory or, without padding, in the scratch of the team.
struct GroupArray {
  /// The array, if it lies in memory.
  ArrayReference memory;
  /// The number of the stage, within the group, that computes the array into scratch, or -1 if the array lies
  /// in memory.
  int member = -1;
  /// The place where an array in scratch begins, in bytes from the start of the team's scratch.
  std::int64_t scratch_offset = 0;
  /// The number of bytes of one point.
  std::int64_t element_size = 0;
};

/// The tiles of a fusable group. All pointers lead to the memory space of kernels.
struct GroupTiles {
  /// The number of tiles.
  std::int64_t tile_count = 0;
  /// The boxes that the stages of the group compute. In tile t, stage s computes the box boxes[t * stages +
  /// s], where `stages` is the number of stages. This box is empty if the Compute node that is run does not
  /// compute the stage (see plan::Compute::members), or if the tile needs no points of the stage.
  const Box* boxes = nullptr;
  /// The arrays of all stages: the inputs and then the outputs of stage 0, the inputs and then the outputs of
  /// stage 1, and so on.
  const GroupArray* arrays = nullptr;
  /// The number of bytes of scratch memory of one team.
  std::int64_t scratch_bytes = 0;
};

/// The interface through which the framework computes the stages of a fusable group in one kernel of a
/// device. A team of threads computes a tile, with a barrier after each stage.
class GroupKernel {
 public:
  virtual ~GroupKernel() = default;

  /// Enqueues the computation of all tiles on `execution`, and does not wait for it.
  virtual void launch(const ExecutionSpace& execution, const GroupTiles& tiles) const = 0;
};

}  // namespace tessera
