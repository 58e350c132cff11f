// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera::io::detail {

/// Returns the points of an image at half its size: half the columns and rows, rounded up, and all channels.
Box halved(const Box& domain);

/// Halves an image, row by row. A row has all columns, and the channels of a pixel together. A point of the
/// result is the mean of those points of 2 x 2 that exist, of integers rounded to nearest, halves up. The
/// type must not have 64 bits unless it is float64.
class RowHalver {
 public:
  /// `domain` holds all points of the image that is halved. `next` gets each row of the result.
  RowHalver(const Box& domain, ElementType type, std::function<void(const std::byte*)> next);

  /// Takes the next row of the image.
  void add(const std::byte* row);
  /// Says that there are no more rows.
  void finish();

 private:
  void emit(const std::byte* first, const std::byte* second);

  std::int64_t columns_;
  std::int64_t channels_;
  ElementType type_;
  std::function<void(const std::byte*)> next_;
  bool has_row_ = false;
  std::vector<std::byte> row_;
  std::vector<std::byte> result_;
};

}  // namespace tessera::io::detail
