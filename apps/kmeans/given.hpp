// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "exponents.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/pipeline/kernel/library_stage.hpp"

namespace kmeans {

/// The library reduction that makes one value of the first centres, which are the rows of an array of type G.
/// It checks that they are finite, and small enough for the type T.
template <class T, class G>
struct Given {
  using Element = T;

  /// The part of a partial value before the coordinates. The rows are those with wrong coordinates.
  struct Value {
    std::int64_t words;
    std::int64_t not_finite = std::numeric_limits<std::int64_t>::max();
    std::int64_t too_large = std::numeric_limits<std::int64_t>::max();

    std::uint64_t* bits() { return reinterpret_cast<std::uint64_t*>(this + 1); }
    const std::uint64_t* bits() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
  };
  /// Coordinates are less than two to this power.
  static constexpr int highest = std::min(highest_exponent, std::numeric_limits<T>::max_exponent);

  int clusters;
  int dimensions;
  /// The name of the file, or nothing.
  std::string file;

  tessera::Box footprint(int, const tessera::Box& box) const { return {{0, dimensions}, box[0]}; }
  std::int64_t value_bytes() const { return static_cast<std::int64_t>(sizeof(Value)) + 8 * words(); }
  void init(std::byte* value) const {
    auto* const made = new (value) Value{.words = words()};
    std::fill_n(made->bits(), words(), 0);
  }
  void add(std::byte* value, const tessera::Box& box, const tessera::LibraryBlock<const G>& centres) const {
    auto& given = *reinterpret_cast<Value*>(value);
    auto* const to = reinterpret_cast<T*>(given.bits());
    for (std::int64_t k = box[0].begin; k < box[0].end; ++k) {
      const G* const centre = address(centres, tessera::Point{{0, k, 0, 0}});
      for (std::int64_t j = 0; j < dimensions; ++j) {
        const G number = centre[j];
        to[k * dimensions + j] = static_cast<T>(number);
        if (!std::isfinite(number))
          given.not_finite = std::min(given.not_finite, k);
        else if (std::abs(static_cast<double>(to[k * dimensions + j])) >= std::ldexp(1.0, highest))
          given.too_large = std::min(given.too_large, k);
      }
    }
  }
  /// Each coordinate is in one of the values, and the others have no bits there.
  static void join(std::byte* into, const std::byte* other) {
    auto& to = *reinterpret_cast<Value*>(into);
    const auto& from = *reinterpret_cast<const Value*>(other);
    to.not_finite = std::min(to.not_finite, from.not_finite);
    to.too_large = std::min(to.too_large, from.too_large);
    for (std::int64_t i = 0; i < to.words; ++i) to.bits()[i] |= from.bits()[i];
  }
  void store(const std::byte* value, T* result) const {
    const auto& given = *reinterpret_cast<const Value*>(value);
    if (given.not_finite != std::numeric_limits<std::int64_t>::max())
      throw tessera::InputError(
          fmt::format("'input.centres': row {}{} has a coordinate that is NaN or infinite: give finite ones",
                      given.not_finite, of_file(file)));
    if (given.too_large != std::numeric_limits<std::int64_t>::max())
      throw tessera::InputError(
          fmt::format("'input.centres': row {}{} has a coordinate of 2^{} or more: give smaller ones",
                      given.too_large, of_file(file), highest));
    std::copy_n(reinterpret_cast<const T*>(given.bits()), std::int64_t(clusters) * dimensions, result);
  }

 private:
  std::int64_t words() const {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
    return (std::int64_t(clusters) * dimensions * bytes + 7) / 8;
  }
};

}  // namespace kmeans
