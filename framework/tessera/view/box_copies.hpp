// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/view/array_reference.hpp"
#include "tessera/view/host_mode.hpp"

namespace tessera {

namespace detail {

/// One box, as rows of bytes at two places.
struct RowCopy {
  const std::byte* from;
  std::byte* to;
  std::int64_t row_bytes;
  /// Rows per dimension, and bytes from one to the next; dimensions 1 and up of the box.
  std::int64_t extent[max_dimensions - 1];
  std::int64_t from_stride[max_dimensions - 1];
  std::int64_t to_stride[max_dimensions - 1];
  /// Rows, and bytes divided by the list's unit, of the copies before this one.
  std::int64_t first_row;
  std::int64_t first_unit;

  KOKKOS_FUNCTION std::int64_t rows() const { return extent[0] * extent[1] * extent[2]; }
};

}  // namespace detail

/// Copies between arrays that are done together, any number of times, by one kernel launch: packing for all
/// partners of an exchange, unpacking, and what a rank copies from itself. No box may be written that another
/// copy of the list reads.
class BoxCopies {
 public:
  BoxCopies() = default;

  /// Adds the copy of `box`, where the array `to` holds it, from the array `from`, which holds it `shift`
  /// further on. Both have elements of `element_size` bytes.
  void add(const ArrayReference& from, const ArrayReference& to, const Box& box, const Point& shift,
           std::int64_t element_size);

  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }
  std::int64_t bytes() const { return bytes_; }

  /// Makes the list ready for kernels. Call once, after the last `add`.
  void commit();

  /// All copies, enqueued on `execution`; on hosts small ones are done on return.
  void run(const ExecutionSpace& execution, HostMode mode = HostMode::kernels) const;
  /// Only the copies [first, last) in the order of `add`.
  void run(const ExecutionSpace& execution, std::size_t first, std::size_t last,
           HostMode mode = HostMode::kernels) const;

 private:
  std::vector<detail::RowCopy> rows_;
  /// The same where kernels run; unused on hosts.
  Kokkos::View<detail::RowCopy*, MemorySpace> device_rows_;
  std::int64_t bytes_ = 0;
  std::int64_t row_count_ = 0;
  /// Bytes that a device thread copies at once: they divide every row, stride and address.
  std::int64_t unit_ = 16;
  /// Threads of hosts; not asked for at every run, as newer versions of Kokkos allocate to answer.
  int concurrency_ = 1;
};

}  // namespace tessera
