// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"

namespace tessera {

/// For GoogleTest's messages.
inline void PrintTo(const Box& box, std::ostream* out) { *out << to_string(box); }

inline bool contains(const Box& box, const Point& point) { return box.contains(point); }

}  // namespace tessera

namespace tessera::test {

/// The same numbers in every run, on every rank and with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  /// A number of [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  int small(int low, int high) { return static_cast<int>(between(low, high)); }
  bool chance(int percent) { return between(0, 99) < percent; }
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) / 9007199254740992.0;
  }
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }

  /// A box with ranges that begin in [low, high] and have at most `most` points, at least `least`.
  Box box(int dimensions, std::int64_t low, std::int64_t high, std::int64_t most, std::int64_t least = 1) {
    Box box;
    box.dimensions = dimensions;
    for (int d = 0; d < dimensions; ++d) {
      const std::int64_t begin = between(low, high);
      box[d] = {begin, begin + between(least, most)};
    }
    return box;
  }

  /// A box inside `outer`, which is not empty.
  Box box_in(const Box& outer) {
    Box box = outer;
    for (int d = 0; d < outer.dimensions; ++d) {
      box[d].begin = between(outer[d].begin, outer[d].end - 1);
      box[d].end = between(box[d].begin + 1, outer[d].end);
    }
    return box;
  }

 private:
  std::mt19937_64 engine_;
};

using tessera::Point;

/// Calls visit(point) for every point of `box`, x fastest.
template <class Visit>
void for_each_point(const Box& box, const Visit& visit) {
  if (box.empty()) return;
  Point point;
  for (int d = 0; d < box.dimensions; ++d) point.at[d] = box[d].begin;
  for (int d = 0; d < box.dimensions;) {
    visit(point);
    for (d = 0; d < box.dimensions; ++d) {
      if (++point.at[d] < box[d].end) break;
      point.at[d] = box[d].begin;
    }
  }
}

/// The place of `point` in a dense array of the points of `box`, x fastest.
inline std::size_t dense_index(const Box& box, const Point& point) {
  std::int64_t index = 0;
  for (int d = box.dimensions - 1; d >= 0; --d) index = index * box[d].size() + point[d] - box[d].begin;
  return static_cast<std::size_t>(index);
}

/// The message of the Error that `call` throws; a test fails when it throws nothing.
template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace tessera::test
