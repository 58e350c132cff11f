// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/png_filter.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tessera::io::detail {
namespace {

// Each filter predicts a byte from the bytes to its left, above it, and to the left of the one above. The
// order of the filters is that of their numbers in PNG files.
struct None {
  static std::uint8_t predict(std::uint8_t, std::uint8_t, std::uint8_t) { return 0; }
};
struct Sub {
  static std::uint8_t predict(std::uint8_t left, std::uint8_t, std::uint8_t) { return left; }
};
struct Up {
  static std::uint8_t predict(std::uint8_t, std::uint8_t above, std::uint8_t) { return above; }
};
struct Average {
  static std::uint8_t predict(std::uint8_t left, std::uint8_t above, std::uint8_t) {
    return static_cast<std::uint8_t>((left + above) / 2);
  }
};
struct Paeth {
  static std::uint8_t predict(std::uint8_t left, std::uint8_t above, std::uint8_t corner) {
    const auto of_left = static_cast<std::int16_t>(std::abs(above - corner));
    const auto of_above = static_cast<std::int16_t>(std::abs(left - corner));
    const auto of_corner = static_cast<std::int16_t>(std::abs(left + above - 2 * corner));
    const std::uint8_t nearer = of_above <= of_corner ? above : corner;
    const bool is_left = (of_left <= of_above) & (of_left <= of_corner);
    return is_left ? left : nearer;
  }
};

template <class Filter>
std::uint8_t filtered_byte(const std::uint8_t* row, const std::uint8_t* above, std::int64_t i, int pixel) {
  return static_cast<std::uint8_t>(row[i] - Filter::predict(row[i - pixel], above[i], above[i - pixel]));
}

/// Returns the sum of the filtered bytes, each taken as the absolute value of a signed number.
template <class Filter>
std::int64_t cost(const std::uint8_t* row, const std::uint8_t* above, std::int64_t bytes, int pixel) {
  constexpr std::int64_t piece = 4096;  // so short that 32 bits hold the sum
  std::int64_t sum = 0;
  for (std::int64_t begin = 0; begin < bytes; begin += piece) {
    std::uint32_t part = 0;
    for (std::int64_t i = begin; i < std::min(begin + piece, bytes); ++i) {
      const std::uint8_t byte = filtered_byte<Filter>(row, above, i, pixel);
      part += std::min(byte, static_cast<std::uint8_t>(-byte));
    }
    sum += part;
  }
  return sum;
}

template <class Filter>
void apply(const std::uint8_t* row, const std::uint8_t* above, std::int64_t bytes, int pixel,
           std::uint8_t* filtered) {
  for (std::int64_t i = 0; i < bytes; ++i) filtered[i] = filtered_byte<Filter>(row, above, i, pixel);
}

template <class... Filters>
void choose(const std::uint8_t* row, const std::uint8_t* above, std::int64_t bytes, int pixel,
            std::uint8_t* filtered) {
  using Apply = void (*)(const std::uint8_t*, const std::uint8_t*, std::int64_t, int, std::uint8_t*);
  constexpr std::array<Apply, sizeof...(Filters)> filters{apply<Filters>...};
  const std::array<std::int64_t, sizeof...(Filters)> costs{cost<Filters>(row, above, bytes, pixel)...};
  const auto best = std::min_element(costs.begin(), costs.end()) - costs.begin();
  filtered[0] = static_cast<std::uint8_t>(best);
  filters[static_cast<std::size_t>(best)](row, above, bytes, pixel, filtered + 1);
}

}  // namespace

void filter_png_row(const std::uint8_t* row, const std::uint8_t* above, std::int64_t bytes, int pixel_bytes,
                    std::uint8_t* filtered) {
  choose<None, Sub, Up, Average, Paeth>(row, above, bytes, pixel_bytes, filtered);
}

}  // namespace tessera::io::detail
