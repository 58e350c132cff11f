// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/algorithm/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "tessera/pipeline/kernel/periodic_stage.hpp"

namespace tessera {
namespace {

const LoopDeclaration::Feed* feed_with(const LoopDeclaration& loop, int LoopDeclaration::Feed::*end,
                                       int array) {
  const auto found = std::ranges::find(loop.feeds, array, end);
  return found == loop.feeds.end() ? nullptr : &*found;
}

}  // namespace

const LoopDeclaration::Feed* LoopDeclaration::feed_to(int array) const {
  return feed_with(*this, &Feed::to, array);
}

const LoopDeclaration::Feed* LoopDeclaration::feed_from(int array) const {
  return feed_with(*this, &Feed::from, array);
}

bool ArrayDeclaration::has_periodic_side() const {
  for (int d = 0; d < dimensions; ++d)
    if (boundary.is_periodic(d)) return true;
  return false;
}

Box ArrayDeclaration::with_whole_lines(Box box) const {
  // The box of a reduction holds points of its input, to which `whole` does not apply.
  if (reduction != nullptr) return box;
  for (int d = 0; d < box.dimensions; ++d)
    if (const Range lines = whole[static_cast<std::size_t>(d)]; !lines.empty()) box[d] = lines;
  return box;
}

namespace {

std::span<const ArrayDeclaration> outputs_of(const std::vector<ArrayDeclaration>& arrays, int stage) {
  return std::span(arrays).subspan(
      static_cast<std::size_t>(stage),
      static_cast<std::size_t>(arrays[static_cast<std::size_t>(stage)].output_count));
}

/// Returns the first output of a stage that is bounded and has a periodic side; null if there is none.
const ArrayDeclaration* periodic_output(std::span<const ArrayDeclaration> outputs) {
  const auto found = std::ranges::find_if(
      outputs, [](const ArrayDeclaration& part) { return part.is_bounded && part.has_periodic_side(); });
  return found == outputs.end() ? nullptr : &*found;
}

/// Whether `other` has the same period as `array` in all dimensions in which `array` is periodic.
bool has_periods_of(const ArrayDeclaration& array, const ArrayDeclaration& other) {
  for (int d = 0; d < array.dimensions; ++d)
    if (array.boundary.is_periodic(d) && (d >= other.dimensions || !other.boundary.is_periodic(d) ||
                                          other.domain[d].size() != array.domain[d].size()))
      return false;
  return true;
}

/// Whether the stage computes all points along one of its periodic dimensions together.
bool has_periodic_lines(const ArrayDeclaration& stage, const ArrayDeclaration& periodic) {
  for (int d = 0; d < periodic.dimensions; ++d)
    if (periodic.boundary.is_periodic(d) && !stage.whole[static_cast<std::size_t>(d)].empty()) return true;
  return false;
}

PeriodicStage::Operand operand(const ArrayDeclaration& array) {
  return {array.element_bytes(), array.is_everywhere()};
}

}  // namespace

std::string reason_against_ghosts(const std::vector<ArrayDeclaration>& arrays, int stage) {
  const auto outputs = outputs_of(arrays, stage);
  const ArrayDeclaration* periodic = periodic_output(outputs);
  if (periodic == nullptr) return "";
  if (has_periodic_lines(outputs.front(), *periodic))
    return fmt::format("'{}' computes whole lines, which end at periodic sides", periodic->name);
  for (const ArrayDeclaration& other : outputs)
    if (other.is_bounded && !(has_periods_of(*periodic, other) && has_periods_of(other, *periodic)))
      return fmt::format("'{}' has a periodic side, but '{}', which is computed with it, has not the same",
                         periodic->name, other.name);
  for (int id : outputs.front().inputs) {
    const ArrayDeclaration& input = arrays[static_cast<std::size_t>(id)];
    if (!input.is_everywhere() && !(input.ends_at_domain() && has_periods_of(*periodic, input)))
      return fmt::format("'{}' has a periodic side, but '{}', which it reads, has not the same",
                         periodic->name, input.name);
  }
  return "";
}

void compute_beyond_periodic_sides(std::vector<ArrayDeclaration>& arrays, int stage) {
  const auto outputs = outputs_of(arrays, stage);
  const ArrayDeclaration* periodic = periodic_output(outputs);
  if (periodic == nullptr) return;
  std::vector<PeriodicStage::Operand> read, written;
  for (int input : outputs.front().inputs) read.push_back(operand(arrays[static_cast<std::size_t>(input)]));
  for (const ArrayDeclaration& output : outputs) written.push_back(operand(output));
  ArrayDeclaration& lead = arrays[static_cast<std::size_t>(stage)];
  lead.kernel = std::make_shared<PeriodicStage>(lead.kernel, periodic->domain, periodic->boundary,
                                                std::move(read), std::move(written));
}

}  // namespace tessera
