// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/box_copies.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tessera {
namespace {

using detail::RowCopy;

/// The smallest number of bytes that several threads copy. A launch costs more than a copy of fewer bytes.
constexpr std::int64_t smallest_parallel_copy = 1 << 16;

/// Calls copy_row(to, from) for the rows [first, last) of one copy.
template <class CopyOneRow>
void for_rows(const RowCopy& copy, std::int64_t first, std::int64_t last, const CopyOneRow& copy_row) {
  for (std::int64_t row = first; row < last;) {
    const std::int64_t y = row % copy.extent[0];
    const std::int64_t z = row / copy.extent[0] % copy.extent[1];
    const std::int64_t w = row / copy.extent[0] / copy.extent[1];
    const std::int64_t run = std::min(copy.extent[0] - y, last - row);
    const std::byte* from =
        copy.from + y * copy.from_stride[0] + z * copy.from_stride[1] + w * copy.from_stride[2];
    std::byte* to = copy.to + y * copy.to_stride[0] + z * copy.to_stride[1] + w * copy.to_stride[2];
    const std::int64_t from_stride = copy.from_stride[0];
    const std::int64_t to_stride = copy.to_stride[0];
    for (std::int64_t i = 0; i < run; ++i) copy_row(to + i * to_stride, from + i * from_stride);
    row += run;
  }
}

template <std::size_t Bytes>
void copy_narrow_rows(const RowCopy& copy, std::int64_t first, std::int64_t last) {
  for_rows(copy, first, last, [](std::byte* to, const std::byte* from) { std::memcpy(to, from, Bytes); });
}

/// Copies the rows [first, last) of one copy. Narrow rows, such as the ghosts left and right of a block, are
/// copied with a size that is known at compile time.
void copy_rows(const RowCopy& copy, std::int64_t first, std::int64_t last) {
  switch (copy.row_bytes) {
    case 1:
      return copy_narrow_rows<1>(copy, first, last);
    case 2:
      return copy_narrow_rows<2>(copy, first, last);
    case 4:
      return copy_narrow_rows<4>(copy, first, last);
    case 8:
      return copy_narrow_rows<8>(copy, first, last);
    case 12:
      return copy_narrow_rows<12>(copy, first, last);
    case 16:
      return copy_narrow_rows<16>(copy, first, last);
    case 32:
      return copy_narrow_rows<32>(copy, first, last);
    case 64:
      return copy_narrow_rows<64>(copy, first, last);
    default:
      const auto bytes = static_cast<std::size_t>(copy.row_bytes);
      return for_rows(copy, first, last,
                      [bytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
  }
}

/// Copies the rows [begin, end) of a list of copies. The rows of all copies are numbered consecutively.
void copy_row_range(const RowCopy* copies, std::size_t count, std::int64_t begin, std::int64_t end) {
  for (const RowCopy* copy = copies; copy != copies + count; ++copy) {
    const std::int64_t first = std::max(begin - copy->first_row, std::int64_t{0});
    const std::int64_t last = std::min(end - copy->first_row, copy->rows());
    if (first < last) copy_rows(*copy, first, last);
  }
}

/// A kernel for hosts. Each index copies an equal share of the rows.
struct CopyShare {
  const RowCopy* copies;
  std::size_t count;
  std::int64_t first_row;
  std::int64_t rows;
  std::int64_t shares;

  [[maybe_unused]] void operator()(std::int64_t share) const {
    copy_row_range(copies, count, first_row + rows * share / shares, first_row + rows * (share + 1) / shares);
  }
};

/// A kernel for devices that makes a single copy. A point is a unit: its coordinate x counts the units of a
/// row, and the other coordinates are those of the row.
template <class Unit>
struct CopyBox {
  RowCopy copy;

  Box units() const {
    return {{0, copy.row_bytes / static_cast<std::int64_t>(sizeof(Unit))},
            {0, copy.extent[0]},
            {0, copy.extent[1]},
            {0, copy.extent[2]}};
  }
  KOKKOS_FUNCTION void compute(const int* point) const {
    std::int64_t read = point[0] * static_cast<std::int64_t>(sizeof(Unit));
    std::int64_t write = read;
    for (int d = 0; d < max_dimensions - 1; ++d) {
      read += point[d + 1] * copy.from_stride[d];
      write += point[d + 1] * copy.to_stride[d];
    }
    *reinterpret_cast<Unit*>(copy.to + write) = *reinterpret_cast<const Unit*>(copy.from + read);
  }
};

/// A kernel for devices that makes several copies. Each index copies one unit.
template <class Unit>
struct CopyUnit {
  const RowCopy* copies;
  std::size_t count;
  std::int64_t first_unit;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    index += first_unit;
    std::size_t low = 0;
    for (std::size_t high = count; high - low > 1;) {
      const std::size_t middle = (low + high) / 2;
      (copies[middle].first_unit <= index ? low : high) = middle;
    }
    const RowCopy& copy = copies[low];
    index -= copy.first_unit;
    const std::int64_t units_per_row = copy.row_bytes / static_cast<std::int64_t>(sizeof(Unit));
    std::int64_t row = index / units_per_row;
    std::int64_t read = index % units_per_row * static_cast<std::int64_t>(sizeof(Unit));
    std::int64_t write = read;
    for (int d = 0; d < max_dimensions - 1; ++d) {
      const std::int64_t p = row % copy.extent[d];
      row /= copy.extent[d];
      read += p * copy.from_stride[d];
      write += p * copy.to_stride[d];
    }
    *reinterpret_cast<Unit*>(copy.to + write) = *reinterpret_cast<const Unit*>(copy.from + read);
  }
};

template <class Unit>
void launch_units(const ExecutionSpace& execution, const RowCopy& first, const RowCopy* copies,
                  std::size_t count, std::int64_t units) {
  if (count == 1) {
    // The list of a single copy is not in the memory of the device.
    const CopyBox<Unit> kernel{first};
    detail::launch_on_device(execution, "tessera: copies", kernel.units(), kernel);
  } else {
    Kokkos::parallel_for("tessera: copies", IndexPolicy<>(execution, 0, units),
                         CopyUnit<Unit>{copies, count, first.first_unit});
  }
}

}  // namespace

void BoxCopies::add(const ArrayReference& from, const ArrayReference& to, const Box& box, const Point& shift,
                    std::int64_t element_size) {
  if (box.empty()) return;
  RowCopy copy{from.origin, to.origin, box[0].size() * element_size, {1, 1, 1}, {}, {}, row_count_, 0};
  for (int d = 0; d < box.dimensions; ++d) {
    copy.from += (box[d].begin + shift[d]) * from.strides[d] * element_size;
    copy.to += box[d].begin * to.strides[d] * element_size;
    if (d == 0) continue;
    copy.extent[d - 1] = box[d].size();
    copy.from_stride[d - 1] = from.strides[d] * element_size;
    copy.to_stride[d - 1] = to.strides[d] * element_size;
  }
  // The unit must divide all addresses, sizes and strides.
  const auto limit_unit = [this](std::int64_t bytes) { unit_ = std::gcd(unit_, bytes); };
  limit_unit(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(copy.from) % 16));
  limit_unit(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(copy.to) % 16));
  limit_unit(copy.row_bytes);
  for (int d = 0; d < max_dimensions - 1; ++d) {
    limit_unit(copy.from_stride[d]);
    limit_unit(copy.to_stride[d]);
  }
  rows_.push_back(copy);
  row_count_ += copy.rows();
  bytes_ += copy.row_bytes * copy.rows();
}

void BoxCopies::commit() {
  concurrency_ = ExecutionSpace().concurrency();
  unit_ = std::min<std::int64_t>(unit_, 8);
  std::int64_t units = 0;
  for (RowCopy& copy : rows_) {
    copy.first_unit = units;
    units += copy.row_bytes / unit_ * copy.rows();
  }
  if (!runs_on_host && rows_.size() > 1) {
    device_rows_ = Kokkos::View<RowCopy*, MemorySpace>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: list of copies"), rows_.size());
    const Kokkos::View<RowCopy*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
        rows_.data(), rows_.size());
    const ExecutionSpace execution;
    Kokkos::deep_copy(execution, device_rows_, host);
    execution.fence();
  }
}

void BoxCopies::run(const ExecutionSpace& execution, HostMode mode) const {
  run(execution, 0, rows_.size(), mode);
}

void BoxCopies::run(const ExecutionSpace& execution, std::size_t first, std::size_t last,
                    [[maybe_unused]] HostMode mode) const {
  if (first == last) return;
  const bool is_end = last == rows_.size();
  const std::int64_t first_row = rows_[first].first_row;
  const std::int64_t rows = (is_end ? row_count_ : rows_[last].first_row) - first_row;
  const std::int64_t units = (is_end ? bytes_ / unit_ : rows_[last].first_unit) - rows_[first].first_unit;
  if constexpr (runs_on_host) {
    const std::int64_t shares = std::min<std::int64_t>(concurrency_, rows);
    if (units * unit_ < smallest_parallel_copy || shares == 1 || mode == HostMode::calling_thread)
      return copy_row_range(&rows_[first], last - first, first_row, first_row + rows);
    Kokkos::parallel_for("tessera: copies", IndexPolicy<>(execution, 0, shares),
                         CopyShare{&rows_[first], last - first, first_row, rows, shares});
  } else {
    const RowCopy* copies = device_rows_.data() + first;
    detail::with_unit(unit_, [&]<class Unit>(Unit) {
      launch_units<Unit>(execution, rows_[first], copies, last - first, units);
    });
  }
}

void copy_points(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
                 const Box& box, std::int64_t element_size, const Point& shift) {
  BoxCopies copies;
  copies.add(from, to, box, shift, element_size);
  copies.commit();
  copies.run(execution);
}

}  // namespace tessera
