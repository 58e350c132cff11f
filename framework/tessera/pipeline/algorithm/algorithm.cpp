// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/algorithm/algorithm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tessera/domain/text.hpp"

namespace tessera {
namespace {

void check_domain(const ArrayDeclaration& declaration) {
  const Box& box = declaration.domain;
  if (declaration.is_input() && (box.dimensions != declaration.dimensions || box.empty()))
    throw InternalError(fmt::format("the input '{}' has {} dimensions, but its domain is {}",
                                    declaration.name, declaration.dimensions, to_string(box)));
}

/// Returns ArrayDeclaration::whole. Throws InternalError if a line has no points, or if the array lacks the
/// dimension of a line.
std::array<Range, max_dimensions> whole_lines(std::string_view name, int dimensions,
                                              const std::vector<WholeDimension>& whole) {
  std::array<Range, max_dimensions> lines = {};
  for (const auto& [dimension, extent] : whole) {
    if (extent < 1) throw InternalError(fmt::format("the lines of '{}' have {} points", name, extent));
    if (dimension < 0 || dimension >= dimensions)
      throw InternalError(fmt::format("the stage '{}' has {} dimensions, and cannot be whole in dimension {}",
                                      name, dimensions, dimension));
    lines[static_cast<std::size_t>(dimension)] = {0, extent};
  }
  return lines;
}

}  // namespace

Algorithm::Algorithm(IdVector<ArrayId, ArrayDeclaration> arrays, std::vector<LoopDeclaration> loops,
                     std::vector<FusableGroup> groups)
    : arrays_(std::move(arrays)), loops_(std::move(loops)), groups_(std::move(groups)) {
  for (const ArrayId id : ids())
    if ((*this)[id].is_spare() && !is_fed(id))
      throw InternalError(
          fmt::format("nothing computes '{}', and its kind is not ArrayKind::input", (*this)[id].name));
}

void Algorithm::check_reduced(std::string_view name, const Box& over, int dimensions) {
  if (over.empty())
    throw InternalError(fmt::format(
        "the reduction '{}' needs to know over which points: give a box, as its input is a stage", name));
  if (over.dimensions != dimensions)
    throw InternalError(fmt::format("the reduction '{}' of an array of {} dimensions is over {}", name,
                                    dimensions, to_string(over)));
}

void Algorithm::check_groups(std::string_view name, std::int64_t count) {
  if (count < 1 || count > std::int64_t{1} << 40)
    throw InternalError(fmt::format("the reduction '{}' has {} groups", name, count));
}

ArrayId Algorithm::find(std::string_view name) const {
  for (ArrayId id : ids())
    if ((*this)[id].name == name) return id;
  throw InternalError(fmt::format("the pipeline has no stage or input '{}'", name));
}

ArrayId Algorithm::add(ArrayDeclaration declaration) {
  if (std::ranges::find(arrays_, declaration.name, &ArrayDeclaration::name) != arrays_.end())
    throw InternalError(fmt::format("the pipeline has two stages named '{}'", declaration.name));
  check_domain(declaration);
  for (ArrayId input : declaration.inputs) check_not_fed_away(input);
  if (declaration.lead == no_array) declaration.lead = ArrayId{size()};
  return arrays_.push_back(std::move(declaration));
}

ArrayId Algorithm::add_input(std::string_view name, ElementType type, int dimensions, const Box& domain,
                             const BoundaryConditions& boundary) {
  return add({.name = std::string(name),
              .type = type,
              .dimensions = dimensions,
              .kind = ArrayKind::input,
              .domain = domain,
              .boundary = boundary});
}

ArrayId Algorithm::stage_of_kernel(std::string_view name, ElementType type, int dimensions,
                                   std::vector<ArrayId> inputs, std::shared_ptr<const StageKernel> kernel,
                                   const std::vector<WholeDimension>& whole) {
  return add({.name = std::string(name),
              .type = type,
              .dimensions = dimensions,
              .inputs = std::move(inputs),
              .kernel = std::move(kernel),
              .whole = whole_lines(name, dimensions, whole)});
}

ArrayId Algorithm::stages_of_kernel(const std::vector<std::string>& names,
                                    const std::vector<ElementType>& types, int dimensions,
                                    const std::vector<ArrayId>& inputs,
                                    std::shared_ptr<const StageKernel> kernel) {
  if (names.size() != types.size())
    throw InternalError(
        fmt::format("a stage with {} outputs was given {} names", types.size(), names.size()));
  const ArrayId lead = stage_of_kernel(names[0], types[0], dimensions, inputs, std::move(kernel));
  arrays_.back().output_count = static_cast<int>(types.size());
  for (std::size_t k = 1; k < types.size(); ++k)
    add({.name = names[k], .type = types[k], .dimensions = dimensions, .lead = lead, .output_count = 0});
  return lead;
}

bool Algorithm::are_of_one_stage(const std::vector<ArrayId>& arrays) const {
  return std::ranges::all_of(
      arrays, [&](ArrayId array) { return (*this)[array].lead == (*this)[arrays.front()].lead; });
}

ArrayId Algorithm::add_reduction(std::string_view name, ElementType type, std::int64_t count,
                                 std::vector<ArrayId> inputs, std::shared_ptr<const ReductionKernel> kernel,
                                 const Box& over) {
  const std::int64_t value_bytes = kernel->value_bytes();
  if (constexpr std::int64_t most = std::numeric_limits<int>::max(); value_bytes > most || count > most)
    throw InternalError(
        fmt::format("the reduction '{}' has partial values of {}: reduce fewer lines or groups", name,
                    human_bytes(value_bytes)));
  return add({.name = std::string(name),
              .type = type,
              .dimensions = 1,
              .kind = ArrayKind::reduction,
              .inputs = std::move(inputs),
              .kernel = std::move(kernel),
              .domain = Box{{0, count}},
              .whole = whole_lines(name, 1, {{0, static_cast<int>(count)}}),
              .reduced = over});
}

ArrayId Algorithm::value_of_kernel(std::string_view name, ElementType type, int count,
                                   std::vector<ArrayId> inputs, std::shared_ptr<const StageKernel> kernel) {
  const ArrayId id = stage_of_kernel(name, type, 1, std::move(inputs), std::move(kernel), {{0, count}});
  arrays_[id].domain = Box{{0, count}};
  arrays_[id].kind = ArrayKind::value;
  return id;
}

void Algorithm::add_group(std::vector<ArrayId> stages, std::shared_ptr<const GroupKernel> kernel) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (i > 0 && stages[i] <= stages[i - 1])
      throw InternalError("the stages of a fusable group must be in the order in which they were declared");
    if ((*this)[stages[i]].is_further_output())
      throw InternalError(fmt::format("a fusable group names a stage by its first output, not by '{}'",
                                      (*this)[stages[i]].name));
  }
  groups_.push_back({std::move(stages), std::move(kernel)});
}

void Algorithm::output(ArrayId array, const Box& domain) {
  ArrayDeclaration& stage = arrays_[array];
  const bool has_domain = stage.is_everywhere() || stage.ends_at_domain();
  Box points = has_domain ? stage.domain : domain;
  check_not_fed_away(array);
  if (points.dimensions == 0)
    for (const ArrayDeclaration& other : arrays_)
      if (other.is_input() && points.dimensions == 0) points = other.domain;
  const bool fits = domain.dimensions == 0 || stage.is_everywhere() || points == domain;
  if ((stage.is_input() && !is_fed(array)) || !fits || points.dimensions != stage.dimensions ||
      points.empty())
    throw InternalError(fmt::format("'{}' cannot be an output on {}", stage.name,
                                    to_string(domain.dimensions == 0 ? points : domain)));
  for (int d = 0; d < stage.dimensions; ++d)
    if (const Range whole = stage.whole[static_cast<std::size_t>(d)]; !whole.empty()) {
      if (!(intersection(whole, points[d]) == points[d]))
        throw InternalError(
            fmt::format("'{}' cannot be an output on {}: it has the points [{}, {}) in "
                        "dimension {}",
                        stage.name, to_string(points), whole.begin, whole.end, d));
    }
  stage.domain = points;
  stage.is_output = true;
}

void Algorithm::bound(ArrayId id, const Box& domain, const BoundaryConditions& boundary) {
  check_boundary(boundary, domain.dimensions);
  ArrayDeclaration& stage = arrays_[id];
  if (stage.kind != ArrayKind::stage || stage.output_count != 1)
    throw InternalError(fmt::format(
        "'{}' cannot be bounded: only a stage with one output that computes points can, once", stage.name));
  if (domain.dimensions != stage.dimensions || domain.empty() ||
      (stage.is_output && !(stage.domain == domain)))
    throw InternalError(fmt::format("'{}' cannot end at {}", stage.name, to_string(domain)));
  for (int d = 0; d < stage.dimensions; ++d)
    if (const Range whole = stage.whole[static_cast<std::size_t>(d)]; !whole.empty() && !(whole == domain[d]))
      throw InternalError(fmt::format("'{}' cannot end at {}: it has the points [{}, {}) in dimension {}",
                                      stage.name, to_string(domain), whole.begin, whole.end, d));
  stage.domain = domain;
  stage.boundary = boundary;
  stage.kind = ArrayKind::bounded;
  compute_beyond_periodic_sides(arrays_, id);
}

std::size_t Algorithm::begin_loop(std::string_view name, std::int64_t maximum) {
  for (const LoopDeclaration& other : loops_)
    if (other.name == name) throw InternalError(fmt::format("the pipeline has two loops named '{}'", name));
  if (maximum < 1)
    throw InternalError(fmt::format("the loop '{}' may run {} times: write at least 1", name, maximum));
  loops_.push_back(
      {.name = std::string(name), .first = ArrayId{size()}, .last = ArrayId{size()}, .maximum = maximum});
  return loops_.size() - 1;
}

void Algorithm::end_loop(std::size_t loop) {
  LoopDeclaration& declaration = loops_[loop];
  declaration.last = ArrayId{size()};
  const auto fail = [&](const std::string& why) {
    throw InternalError(fmt::format("the loop '{}' {}", declaration.name, why));
  };
  if (declaration.first == declaration.last) fail("has no stages");
  for (ArrayId id : declaration.arrays())
    if ((*this)[id].is_input())
      fail(fmt::format("declares the input '{}': declare it before", (*this)[id].name));
  for (const auto& [from, to] : declaration.feeds)
    if ((*this)[from].is_output && from >= declaration.first)
      fail(fmt::format("feeds '{0}', which is an output, to '{1}': make '{1}' the output", (*this)[from].name,
                       (*this)[to].name));
  if (carried_arrays(*this, declaration).empty() && declaration.condition == no_array)
    fail("feeds nothing and ends by no condition: its turns would all be the same");
}

void Algorithm::add_feed(std::size_t loop, ArrayId from, ArrayId to) {
  LoopDeclaration& declaration = loops_[loop];
  const ArrayDeclaration &source = (*this)[from], &target = (*this)[to];
  const auto fail = [&](const std::string& why) {
    throw InternalError(fmt::format("the loop '{}' cannot feed '{}' to '{}': {}", declaration.name,
                                    source.name, target.name, why));
  };
  check_not_fed_away(from);
  check_not_fed_away(to);
  if (to >= declaration.first || (!target.ends_at_domain() && !target.is_value()))
    fail("only an input, a bounded stage or a value from before the loop can be fed");
  if (from < declaration.first && declaration.feed_to(from) == nullptr)
    fail("only an array that the loop computes can be fed, or one that another array is fed to");
  if (source.is_value() != target.is_value() || source.is_reduction())
    fail("values can be fed to values only, and other arrays cannot be fed to values");
  if (declaration.feed_from(from) != nullptr || declaration.feed_to(to) != nullptr)
    fail("an array can be fed to only one array, and only one array can be fed to it");
  declaration.feeds.push_back({from, to});
}

void Algorithm::set_condition(std::size_t loop, ArrayId value) {
  check_value(loop, value, "end by");
  loops_[loop].condition = value;
}

void Algorithm::set_residual(std::size_t loop, ArrayId value) {
  check_value(loop, value, "watch");
  loops_[loop].residuals = {value};
}

void Algorithm::check_value(std::size_t loop, ArrayId value, const char* use) const {
  check_not_fed_away(value);
  if (!(*this)[value].is_everywhere() || value < loops_[loop].first)
    throw InternalError(fmt::format("the loop '{}' cannot {} '{}', which is not a value of this loop",
                                    loops_[loop].name, use, (*this)[value].name));
}

void Algorithm::check_not_fed_away(ArrayId id) const {
  for (const LoopDeclaration& loop : loops_)
    if (const auto* feed = loop.feed_from(id); feed != nullptr && loop.contains(id))
      throw InternalError(fmt::format("after the loop '{}' nothing is left of '{}': take '{}'", loop.name,
                                      (*this)[id].name, (*this)[feed->to].name));
}

Box Algorithm::within_bounds(ArrayId stage, Box box) const {
  for (ArrayId part : parts(stage))
    if ((*this)[part].is_bounded()) box = within_sides(box, (*this)[part].domain, (*this)[part].boundary);
  return box;
}

int Algorithm::loop_of(ArrayId stage) const {
  int innermost = -1;
  for (std::size_t l = 0; l < loops_.size(); ++l)
    if (loops_[l].contains(stage)) innermost = static_cast<int>(l);
  return innermost;
}

bool Algorithm::is_inner(const LoopDeclaration& loop) const {
  // Loops are listed in the order in which they begin, and outer loops before inner ones.
  return std::ranges::any_of(
      loops_, [&loop](const LoopDeclaration& other) { return &other < &loop && other.contains(loop); });
}

bool Algorithm::is_fed(ArrayId array) const {
  return std::ranges::any_of(loops_,
                             [array](const LoopDeclaration& loop) { return loop.feed_to(array) != nullptr; });
}

}  // namespace tessera
