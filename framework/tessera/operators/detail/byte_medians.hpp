// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/operators/detail/keys.hpp"
#include "tessera/operators/detail/plane_stage.hpp"

namespace tessera::operators::detail {

/// Computes the element with the number `rank`, in ascending order, of the window around each point of a part
/// of a plane. The time for a point does not depend on the window: there is a histogram of each column of the
/// window, which moves down by a row, and that of the window moves along x by a column. The histograms have
/// two levels, and a part of the lower one is only brought up to date where the element lies (S. Perreault
/// and P. Hébert, Median filtering in constant time, IEEE Transactions on Image Processing, 2007).
class ByteRanks {
 public:
  ByteRanks(const Reach& reach, int rank, std::int64_t most_columns)
      : reach_(reach),
        rank_(rank),
        width_(most_columns + 2 * reach.x),
        coarse_(static_cast<std::size_t>(width_ * bins)),
        fine_(static_cast<std::size_t>(width_ * bins * bins)) {}

  void compute(const Plane<const std::uint8_t>& in, const Plane<std::uint8_t>& out, Range columns,
               Range rows) {
    std::fill(coarse_.begin(), coarse_.end(), std::uint16_t(0));
    std::fill(fine_.begin(), fine_.end(), std::uint16_t(0));
    const std::int64_t begin = columns.begin - reach_.x, count = columns.size() + 2 * reach_.x;
    for (std::int64_t y = rows.begin - reach_.y; y < rows.begin + reach_.y; ++y)
      count_row(in.row(y) + begin, count, 1);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      count_row(in.row(y + reach_.y) + begin, count, 1);
      find_row(out.row(y) + columns.begin, columns.size());
      count_row(in.row(y - reach_.y) + begin, count, static_cast<std::uint16_t>(-1));
    }
  }

 private:
  static constexpr int bins = 16;

  std::uint16_t* coarse(std::int64_t column) { return coarse_.data() + column * bins; }
  std::uint16_t* fine(int bin, std::int64_t column) { return fine_.data() + (bin * width_ + column) * bins; }

  /// Adds `number` to the count of each element of a row in the histogram of its column.
  void count_row(const std::uint8_t* row, std::int64_t count, std::uint16_t number) {
    for (std::int64_t i = 0; i < count; ++i) {
      const int value = row[i];
      coarse(i)[value / bins] = static_cast<std::uint16_t>(coarse(i)[value / bins] + number);
      std::uint16_t& one = fine(value / bins, i)[value % bins];
      one = static_cast<std::uint16_t>(one + number);
    }
  }

  static void add(std::uint16_t* to, const std::uint16_t* counts) {
    for (int bin = 0; bin < bins; ++bin) to[bin] = static_cast<std::uint16_t>(to[bin] + counts[bin]);
  }
  static void subtract(std::uint16_t* from, const std::uint16_t* counts) {
    for (int bin = 0; bin < bins; ++bin) from[bin] = static_cast<std::uint16_t>(from[bin] - counts[bin]);
  }
  /// Returns the bin with the element number `rank`, and makes `rank` the number in this bin.
  static int find(const std::uint16_t* counts, int& rank) {
    int bin = 0;
    for (; rank >= counts[bin]; ++bin) rank -= counts[bin];
    return bin;
  }

  void find_row(std::uint8_t* out, std::int64_t count) {
    const int extent = 2 * reach_.x + 1;
    std::uint16_t upper[bins] = {}, lower[bins][bins] = {};
    // lower[b] is the histogram of the window at known[b].
    std::int64_t known[bins];
    for (std::int64_t& x : known) x = -extent;
    for (int i = 0; i < extent - 1; ++i) add(upper, coarse(i));
    for (std::int64_t x = 0; x < count; ++x) {
      add(upper, coarse(x + extent - 1));
      int rank = rank_;
      const int bin = find(upper, rank);
      bring_up_to_date(lower[bin], known[bin], bin, x, extent);
      out[x] = static_cast<std::uint8_t>(bin * bins + find(lower[bin], rank));
      subtract(upper, coarse(x));
    }
  }

  void bring_up_to_date(std::uint16_t* lower, std::int64_t& known, int bin, std::int64_t x, int extent) {
    if (2 * (x - known) >= extent) {
      for (int i = 0; i < bins; ++i) lower[i] = 0;
      for (int i = 0; i < extent; ++i) add(lower, fine(bin, x + i));
    } else {
      for (; known < x; ++known) {
        subtract(lower, fine(bin, known));
        add(lower, fine(bin, known + extent));
      }
    }
    known = x;
  }

  Reach reach_;
  int rank_;
  std::int64_t width_;
  std::vector<std::uint16_t> coarse_;
  std::vector<std::uint16_t> fine_;
};

}  // namespace tessera::operators::detail
