// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/window.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/box.hpp"
#include "tessera/domain/error.hpp"

namespace tessera {
namespace {

/// Returns the box that is cut into bands: the domain of an output that is not a value, or the box that a
/// global reduction reduces. The result is null for other arrays.
const Box* points_of(const ArrayDeclaration& array) {
  if (array.is_reduction()) return &array.reduced;
  return array.is_output && !array.is_value() ? &array.domain : nullptr;
}

/// Returns, for each array, the first pass that knows the results of all reductions that the array needs.
IdVector<ArrayId, int> passes_by_array(const Algorithm& pipeline) {
  auto passes = pipeline.table<int>();
  for (ArrayId id : pipeline.ids())
    for (ArrayId input : pipeline[pipeline[id].lead].inputs)
      passes[id] = std::max(passes[id], passes[input] + (pipeline[input].is_reduction() ? 1 : 0));
  return passes;
}

std::int64_t units_of(const Range& whole, std::int64_t unit) { return (whole.size() + unit - 1) / unit; }

/// Returns the part of a range that belongs to a band. The numbers of units of the parts differ by at most
/// one.
Range part_of(const Range& whole, const Band& band) {
  const auto border = [&](std::int64_t index) {
    const std::int64_t units_before = units_of(whole, band.unit) * index / band.count;
    return std::min(whole.begin + units_before * band.unit, whole.end);
  };
  return {border(band.index), border(band.index + 1)};
}

/// Returns the dimension along which bands cut `points`. This is the last one if there are fewer dimensions.
int cut_dimension(const Box& points, int dimension) { return std::min(dimension, points.dimensions - 1); }

}  // namespace

int passes_of(const Algorithm& pipeline) {
  const IdVector<ArrayId, int> passes = passes_by_array(pipeline);
  int most = 0;
  for (ArrayId id : pipeline.ids())
    if (pipeline[id].is_output || pipeline[id].is_reduction()) most = std::max(most, passes[id]);
  return most + 1;
}

std::int64_t most_bands(const Algorithm& pipeline, int dimension, std::int64_t unit) {
  std::int64_t most = 1;
  for (const ArrayDeclaration& array : pipeline.arrays())
    if (const Box* points = points_of(array))
      most = std::max(most, units_of((*points)[cut_dimension(*points, dimension)], unit));
  return most;
}

Window::Window(const Algorithm& pipeline, const Band& band) : band_(band) {
  if (!pipeline.loops().empty()) throw InternalError("a pipeline with loops has no bands");
  if (band.dimension < 0 || band.index < 0 || band.index >= band.count || band.pass < 0 ||
      band.pass >= passes_of(pipeline) || band.unit < 1)
    throw InternalError(
        fmt::format("there is no band {} of {} in pass {}", band.index, band.count, band.pass));
  const IdVector<ArrayId, int> passes = passes_by_array(pipeline);
  for (ArrayId id : pipeline.ids()) {
    const Box* points = points_of(pipeline[id]);
    const int pass = passes[id];
    Box& wanted = wanted_[wanted_.push_back(points != nullptr ? *points : Box{})];
    if (pipeline[id].is_value() && pass <= band.pass) wanted = pipeline[id].domain;
    if (points == nullptr) continue;
    Range& cut = wanted[cut_dimension(wanted, band.dimension)];
    cut = part_of(cut, band);
    if (pass != band.pass || wanted.empty()) wanted = no_points(points->dimensions);
  }
  writes_values_ = band.pass == passes_of(pipeline) - 1 && band.index == band.count - 1;
}

Box Window::wanted(const Algorithm& pipeline, ArrayId array) const {
  if (!is_whole()) return wanted_[array];
  return pipeline[array].is_reduction() ? pipeline[array].reduced : pipeline[array].domain;
}

bool Window::is_left_out(const Algorithm& pipeline, ArrayId array) const {
  return !is_whole() && pipeline[array].is_everywhere() && wanted(pipeline, array).empty();
}

bool Window::is_written(const Algorithm& pipeline, ArrayId array) const {
  if (!pipeline[array].is_output) return false;
  return pipeline[array].is_everywhere() ? writes_values() : !wanted(pipeline, array).empty();
}

Box Window::written(const Algorithm& pipeline, ArrayId array, const Box& owned) const {
  return intersection(owned,
                      pipeline[array].is_everywhere() ? pipeline[array].domain : wanted(pipeline, array));
}

}  // namespace tessera
