// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <vector>

#include "domain/random.hpp"
#include "tessera/domain/boundary.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::test {

/// An array in memory, all of it, x fastest.
template <class T>
struct WholeArray {
  Box box;
  std::vector<T> values;

  WholeArray() = default;
  explicit WholeArray(const Box& points)
      : box(points), values(static_cast<std::size_t>(points.size()), T(0)) {}

  T& at(const Point& point) { return values[dense_index(box, point)]; }
  const T& at(const Point& point) const { return values[dense_index(box, point)]; }
  /// The value at the nearest point of the array.
  const T& clamped(Point point) const {
    for (int d = 0; d < box.dimensions; ++d)
      point.at[d] = std::min(std::max(point.at[d], box[d].begin), box[d].end - 1);
    return at(point);
  }
  /// The value at any point, by boundary conditions that say something on every side.
  T bounded(const BoundaryConditions& conditions, Point point) const {
    for (int d = 0; d < box.dimensions; ++d) {
      const auto& side = conditions.side[static_cast<std::size_t>(d)];
      const BoundarySource source = boundary_source(point[d], box[d], side[0], side[1]);
      T constant;
      std::memcpy(&constant, conditions.constant.data(), sizeof constant);
      if (source.kind == BoundarySource::Kind::constant) return constant;
      point[d] = source.point;
    }
    return at(point);
  }
  bool same_bits(const WholeArray& other) const {
    return box == other.box && (values.empty() || std::memcmp(values.data(), other.values.data(),
                                                              values.size() * sizeof(T)) == 0);
  }
};

/// The point of a host block.
template <class T>
T& element_of(const HostBlock& block, const Point& point) {
  std::int64_t offset = 0;
  for (int d = 0; d < block.box.dimensions; ++d) offset += block.strides[d] * (point[d] - block.box[d].begin);
  return reinterpret_cast<T*>(block.data)[offset];
}

/// Gives the pixels of an array in memory.
template <class T>
class ArraySource final : public BlockSource {
 public:
  explicit ArraySource(const WholeArray<T>& array) : array_(&array) {}

  void read(const HostBlock& block) override {
    for_each_point(block.box, [&](const Point& p) { element_of<T>(block, p) = array_->at(p); });
  }

 private:
  const WholeArray<T>* array_;
};

/// Gathers pixels and counts how often each was written.
template <class T>
class ArraySink final : public BlockSink {
 public:
  explicit ArraySink(const Box& box) : array(box), writes(box) {}

  void write(const HostBlock& block) override {
    for_each_point(block.box, [&](const Point& p) {
      array.at(p) = element_of<T>(block, p);
      ++writes.at(p);
    });
  }
  bool every_point_written_once() const {
    for (int count : writes.values)
      if (count != 1) return false;
    return true;
  }

  WholeArray<T> array;
  WholeArray<int> writes;
};

}  // namespace tessera::test
