// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/view/block_layout.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/launch.hpp"

namespace tessera {
namespace detail {

/// The copy of one box. It copies rows of bytes from the address `from` to the address `to`.
struct RowCopy {
  const std::byte* from;
  std::byte* to;
  std::int64_t row_bytes;
  /// For each dimension from 1 on: the number of rows, and the distance from one row to the next in bytes, on
  /// the side of `from` and on the side of `to`.
  std::int64_t extent[max_dimensions - 1];
  std::int64_t from_stride[max_dimensions - 1];
  std::int64_t to_stride[max_dimensions - 1];
  /// The number of rows of all copies before this one in the list, and the number of bytes of these rows
  /// divided by BoxCopies::unit_.
  std::int64_t first_row;
  std::int64_t first_unit;

  KOKKOS_FUNCTION std::int64_t rows() const { return extent[0] * extent[1] * extent[2]; }
};

}  // namespace detail

/// A list of copies of boxes between arrays. One kernel launch does all copies of the list, and the list can
/// run any number of times. For example, one list packs the messages for all partners of an exchange. No copy
/// may write points that another copy of the list reads.
class BoxCopies {
 public:
  /// Makes an empty list.
  BoxCopies() = default;

  /// Adds a copy from the array `from` to the array `to`. For each point p of `box`, the copy sets the point
  /// p of `to` to the value of the point p + `shift` of `from`. Both arrays have elements of `element_size`
  /// bytes. If `box` is empty, nothing is added.
  void add(const ArrayReference& from, const ArrayReference& to, const Box& box, const Point& shift,
           std::int64_t element_size);

  /// True if the list has no copies.
  bool empty() const { return rows_.empty(); }
  /// The number of copies.
  std::size_t size() const { return rows_.size(); }
  /// The number of bytes that all copies together write.
  std::int64_t bytes() const { return bytes_; }

  /// Prepares the list for `run`. This function must be called once, after the last call of `add`.
  void commit();

  /// Enqueues all copies on `execution`. On hosts, the calling thread does the copies at once if they have
  /// few bytes or if `mode` is HostMode::calling_thread.
  void run(const ExecutionSpace& execution, HostMode mode = HostMode::kernels) const;
  /// Enqueues only the copies with the numbers [first, last), which are counted from 0 in the order of `add`.
  /// On hosts, the calling thread does these copies at once if they have few bytes or if `mode` is
  /// HostMode::calling_thread.
  void run(const ExecutionSpace& execution, std::size_t first, std::size_t last,
           HostMode mode = HostMode::kernels) const;

 private:
  std::vector<detail::RowCopy> rows_;
  /// A copy of `rows_` in device memory. On hosts this view is empty.
  Kokkos::View<detail::RowCopy*, MemorySpace> device_rows_;
  std::int64_t bytes_ = 0;
  std::int64_t row_count_ = 0;
  /// The number of bytes that a device thread copies at once. The bytes of a row, all strides and all
  /// addresses are multiples of this number.
  std::int64_t unit_ = 16;
  /// The number of host threads. `commit` stores it, because newer versions of Kokkos allocate memory
  /// whenever they return this number.
  int concurrency_ = 1;
};

/// Copies points from the array `from` to the array `to`. Each point p of `box` in `to` gets the value of the
/// point p + `shift` of `from`. The elements of both arrays have `element_size` bytes. The copy is enqueued
/// on `execution`. No element may be both read and written.
void copy_points(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
                 const Box& box, std::int64_t element_size, const Point& shift = {});

}  // namespace tessera
