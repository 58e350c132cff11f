// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/view/array_reference.hpp"
#include "tessera/view/host_mode.hpp"

namespace tessera {

namespace detail {

/// The copy of one box, as rows of bytes from one place to another.
struct RowCopy {
  const std::byte* from;
  std::byte* to;
  std::int64_t row_bytes;
  /// The number of rows along dimensions 1 and up, and the distance from one row to the next in bytes.
  std::int64_t extent[max_dimensions - 1];
  std::int64_t from_stride[max_dimensions - 1];
  std::int64_t to_stride[max_dimensions - 1];
  /// The rows of the copies before this one, and their bytes divided by the list's unit.
  std::int64_t first_row;
  std::int64_t first_unit;

  KOKKOS_FUNCTION std::int64_t rows() const { return extent[0] * extent[1] * extent[2]; }
};

}  // namespace detail

/// A list of copies between arrays that one kernel launch does together, any number of times, such as packing
/// for all partners of an exchange, unpacking, and what a rank copies from itself. No copy may write a box
/// that another copy of the list reads.
class BoxCopies {
 public:
  /// Makes an empty list.
  BoxCopies() = default;

  /// Adds the copy of the points of `box` to the array `to`, from the points of the array `from` that lie
  /// `shift` further on. Both arrays have elements of `element_size` bytes. An empty box adds nothing.
  void add(const ArrayReference& from, const ArrayReference& to, const Box& box, const Point& shift,
           std::int64_t element_size);

  /// Returns true when the list has no copies.
  bool empty() const { return rows_.empty(); }
  /// The number of copies.
  std::size_t size() const { return rows_.size(); }
  /// The bytes that all copies write.
  std::int64_t bytes() const { return bytes_; }

  /// Makes the list ready for kernels. It is called once, after the last `add`.
  void commit();

  /// Enqueues all copies on `execution`. On hosts small ones are done when the call returns.
  void run(const ExecutionSpace& execution, HostMode mode = HostMode::kernels) const;
  /// Enqueues only the copies [first, last), in the order of `add`.
  void run(const ExecutionSpace& execution, std::size_t first, std::size_t last,
           HostMode mode = HostMode::kernels) const;

 private:
  std::vector<detail::RowCopy> rows_;
  /// A copy of `rows_` in device memory; it is not used on hosts.
  Kokkos::View<detail::RowCopy*, MemorySpace> device_rows_;
  std::int64_t bytes_ = 0;
  std::int64_t row_count_ = 0;
  /// The bytes that a device thread copies at once. They divide every row, stride and address.
  std::int64_t unit_ = 16;
  /// The number of host threads, which is asked for once, because newer versions of Kokkos allocate memory to
  /// answer.
  int concurrency_ = 1;
};

}  // namespace tessera
