// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <string>

#include "points.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/view/instruction_sets.hpp"
#include "windows.hpp"

namespace kmeans {

/// Coordinates are less than two to this power, so that sums of squares do not overflow.
inline constexpr int highest_exponent = 500;

/// Returns words for messages: of which file a point or row is.
inline std::string of_file(const std::string& file) {
  return file.empty() ? "" : fmt::format(" of '{}'", file);
}

/// The reduction that finds the exponents of all coordinates (see Exponents), and checks that they are
/// finite. Its result has the elements `top` and `bottom`.
template <class In, int N, int P>
struct FindExponents {
  using Element = std::int32_t;

  /// A partial value. It is plain data.
  struct Value {
    std::int64_t top = std::numeric_limits<std::int32_t>::lowest();
    std::int64_t bottom = std::numeric_limits<std::int32_t>::max();
    std::int64_t not_finite = std::numeric_limits<std::int64_t>::max();
  };

  Layout<N, P> layout;
  /// The name of the file, or nothing.
  std::string file;

  tessera::Box footprint(int, const tessera::Box& box) const { return layout.of_points(box); }
  std::int64_t value_bytes() const { return sizeof(Value); }
  void init(std::byte* value) const { new (value) Value(); }

  void add(std::byte* value, const tessera::Box& box, const tessera::LibraryBlock<const In>& points) const {
    auto& found = *reinterpret_cast<Value*>(value);
    if constexpr (std::is_integral_v<In>) {
      found.top = std::numeric_limits<In>::digits;
      found.bottom = 0;
    } else {
      layout.for_each_row(points, box, [&](const PointRow<In>& row, const tessera::Point&) {
        // Points without gaps between them are one long row of numbers.
        const bool is_dense = row.coordinate_stride == 1 && row.point_stride == layout.dimensions;
        std::int64_t added = 0;
        if (is_dense) added = add_dense(found, row.first, row.count * layout.dimensions);
        for (std::int64_t i = added / layout.dimensions; i < row.count; ++i)
          for (int j = 0; j < layout.dimensions; ++j)
            add(found, row.point(i)[j * row.coordinate_stride], row.number + i);
      });
    }
  }

  static void join(std::byte* into, const std::byte* other) {
    auto& to = *reinterpret_cast<Value*>(into);
    const auto& from = *reinterpret_cast<const Value*>(other);
    to.top = std::max(to.top, from.top);
    to.bottom = std::min(to.bottom, from.bottom);
    to.not_finite = std::min(to.not_finite, from.not_finite);
  }

  void store(const std::byte* value, std::int32_t* result) const {
    Value found = *reinterpret_cast<const Value*>(value);
    if (found.not_finite != std::numeric_limits<std::int64_t>::max())
      throw tessera::InputError(fmt::format(
          "'input.file': point {}{} has a coordinate that is NaN or infinite: leave such points out",
          found.not_finite, of_file(file)));
    if (found.top < found.bottom) found.top = found.bottom = 0;
    if (found.top > highest_exponent)
      throw tessera::InputError(fmt::format(
          "'input.file': a coordinate{} is 2^{} or more, and the sums of squares might overflow: divide all "
          "coordinates by a number",
          of_file(file), highest_exponent));
    if (Windows::needed(static_cast<int>(found.top - found.bottom), layout.points.size()) > Windows::most)
      throw tessera::InputError(
          "'input.file': the coordinates are too far apart to be summed without rounding: round the smallest "
          "ones to 0");
    result[0] = static_cast<std::int32_t>(found.top);
    result[1] = static_cast<std::int32_t>(found.bottom);
  }

 private:
  using Bits = std::conditional_t<sizeof(In) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int stored = std::numeric_limits<In>::digits - 1;
  static constexpr Bits infinity = Bits(std::numeric_limits<In>::max_exponent * 2 - 1) << stored;

  /// Adds numbers, vectors of them at a time. Returns how many of them were added from the first one on: none
  /// if one is not finite.
  static std::int64_t add_dense(Value& found, const In* numbers, std::int64_t count) {
    constexpr int together = 32;
    Bits greatest[together] = {}, lowest[together];
    std::fill_n(lowest, together, std::bit_cast<Bits>(std::numeric_limits<In>::max()));
    const std::int64_t end = count / together * together;
    tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) {
      for (std::int64_t i = 0; i < end; i += together) {
        TESSERA_VECTORISED
        for (int k = 0; k < together; ++k) {
          const Bits magnitude = std::bit_cast<Bits>(numbers[i + k]) & (~Bits(0) >> 1);
          // The number without its lowest bit. Without that of a power of two, 0 is left.
          const bool has_more = (magnitude & ((Bits(1) << stored) - 1)) != 0;
          const Bits others = has_more ? magnitude & (magnitude - 1) : 0;
          const auto bit = std::bit_cast<Bits>(std::bit_cast<In>(magnitude) - std::bit_cast<In>(others));
          greatest[k] = magnitude > greatest[k] ? magnitude : greatest[k];
          lowest[k] = bit - 1 < lowest[k] - 1 ? bit : lowest[k];
        }
      }
    });
    const Bits most = *std::max_element(greatest, greatest + together);
    if (most >= infinity) return 0;
    if (most == 0) return end;
    add(found, std::bit_cast<In>(most), 0);
    add(found, std::bit_cast<In>(*std::min_element(lowest, lowest + together)), 0);
    return end;
  }
  static void add(Value& found, In number, std::int64_t point) {
    constexpr int least = std::numeric_limits<In>::min_exponent - std::numeric_limits<In>::digits;
    const Bits magnitude = std::bit_cast<Bits>(number) & (~Bits(0) >> 1);
    if (magnitude == 0) return;
    if (magnitude >= infinity) {
      found.not_finite = std::min(found.not_finite, point);
      return;
    }
    // The number is fraction * 2^(least + exponent).
    const int stored_exponent = static_cast<int>(magnitude >> stored);
    const int exponent = std::max(stored_exponent, 1) - 1;
    const Bits fraction =
        (magnitude & ((Bits(1) << stored) - 1)) | (stored_exponent > 0 ? Bits(1) << stored : 0);
    found.top =
        std::max<std::int64_t>(found.top, least + exponent + static_cast<int>(std::bit_width(fraction)));
    found.bottom = std::min<std::int64_t>(found.bottom, least + exponent + std::countr_zero(fraction));
  }
};

}  // namespace kmeans
