// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/mixed_graph.hpp"

#include "pipeline/mixed_builder.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera::test {
namespace {

/// Calls use(T()) with the type of elements.
template <class Use>
auto with_type(ElementType type, const Use& use) {
  switch (type) {
    case ElementType::uint8:
      return use(std::uint8_t());
    case ElementType::int32:
      return use(std::int32_t());
    case ElementType::uint64:
      return use(std::uint64_t());
    case ElementType::float64:
      return use(double());
    default:
      return use(float());
  }
}

template <Form form>
void add_input(MixedBuilder& builder, const char* name, std::int64_t most, double low, double high) {
  using T = typename FormOf<form>::Value;
  BoundaryConditions conditions(Boundary::clamp);
  conditions.set_constant(T(3));
  const std::vector kinds = {Boundary::clamp, Boundary::mirror, Boundary::mirror_interior,
                             Boundary::constant};
  for (auto& side : conditions.side) {
    if (builder.random.chance(40)) side = {builder.random.one_of(kinds), builder.random.one_of(kinds)};
    if (builder.random.chance(25)) side = {Boundary::periodic, Boundary::periodic};
  }
  WholeArray<double> image(builder.random.box(FormOf<form>::dimensions, -3, 3, most));
  for (double& value : image.values) value = static_cast<T>(builder.random.real(low, high));
  builder.graph.pipeline.input<T, FormOf<form>::dimensions>(name, image.box, conditions);
  builder.add(form, nullptr);
  builder.graph.inputs.back() = std::move(image);
}

void add_inputs(MixedBuilder& builder) {
  add_input<Form::image>(builder, "image", 20, -4, 4);
  if (builder.random.chance(40)) add_input<Form::row>(builder, "row", 24, -4, 4);
  if (builder.random.chance(40)) add_input<Form::levels>(builder, "levels", 16, 0, 16);
  if (builder.random.chance(30)) add_input<Form::volume>(builder, "volume", 6, -4, 4);
}

void choose_outputs(MixedBuilder& builder) {
  MixedGraph& graph = builder.graph;
  const auto is_needed = [&](ArrayId id) { return graph.is_read[id] || graph.pipeline[id].is_output; };
  for (ArrayId id : graph.pipeline.ids()) {
    const ArrayDeclaration& array = graph.pipeline[id];
    if (array.is_input()) continue;
    bool stage_is_needed = false;
    for (ArrayId part : graph.pipeline.parts(array.lead))
      stage_is_needed = stage_is_needed || is_needed(part);
    const bool must = !stage_is_needed && id + 1 == array.lead + graph.pipeline[array.lead].output_count;
    if (must || builder.random.chance(is_needed(id) ? 15 : 70))
      graph.pipeline.output(Array<float, 1>{id}, array.is_reduction() ? Box() : builder.some_points(id));
  }
}

std::int64_t all_points(const Algorithm& pipeline) {
  const ScheduledPipeline scheduled(pipeline, {}, {}, 1);
  std::int64_t points = 0;
  for (ArrayId id : scheduled.ids()) points += scheduled[id].distribution.domain().size();
  return points;
}

/// One grid for arrays of these dimensions; lines are not cut.
GridRequest random_mixed_grid(Random& random, const ArrayDeclaration& array, int dimensions, int ranks) {
  GridRequest request;
  std::vector<std::size_t> free;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    request.entries.push_back(1);
    if (array.is_reduction() || array.whole[d].empty()) free.push_back(d);
  }
  if (random.chance(30)) {
    // All ranks along one dimension, often more than it has points.
    request.entries[random.one_of(free)] = ranks;
  } else {
    for (std::size_t d : free) request.entries[d] = random.chance(50) ? 0 : 1;
    request.entries[random.one_of(free)] = 0;
  }
  if (random.chance(20)) request.order = {random.small(0, dimensions - 1)};
  return request;
}

}  // namespace

MixedGraph random_mixed_graph(Random& random, bool exact, int stages) {
  constexpr std::int64_t most_points = 30000;
  for (;;) {
    MixedGraph graph;
    MixedBuilder builder(graph, random, exact);
    add_inputs(builder);
    for (int i = 0; i < stages; ++i) add_random_stage(builder);
    choose_outputs(builder);
    if (all_points(graph.pipeline) <= most_points) return graph;
  }
}

double PlainValues::input_value(ArrayId array, Point point) const {
  const ArrayDeclaration& input = graph_.pipeline[array];
  for (int d = 0; d < input.dimensions; ++d) {
    const auto& side = input.boundary.side[static_cast<std::size_t>(d)];
    const BoundarySource source = boundary_source(point[d], input.domain[d], side[0], side[1]);
    if (source.kind == BoundarySource::Kind::constant) return 3;
    point[d] = source.point;
  }
  return graph_.inputs[array].at(point);
}

double PlainValues::value(ArrayId array, const Point& point) {
  const ArrayDeclaration& declaration = graph_.pipeline[array];
  if (declaration.is_input()) return input_value(array, point);
  const auto key = [](const Point& p) {
    constexpr std::int64_t range = 1 << 20;
    return ((p[0] + range) * 2 * range + p[1] + range) * 2 * range + p[2] + range;
  };
  auto& known = known_[array];
  if (const auto found = known.find(key(point)); found != known.end()) return found->second;
  Point begin = point;
  int line = -1;
  for (int d = 0; d < declaration.dimensions; ++d)
    if (!declaration.whole[static_cast<std::size_t>(d)].empty()) begin[line = d] = 0;
  std::vector<double> values;
  graph_.evaluate[array](*this, begin, values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    Point at = begin;
    if (line >= 0) at[line] = static_cast<std::int64_t>(k);
    const ArrayId part = line >= 0 ? array : declaration.lead + static_cast<int>(k);
    known_[part][key(at)] = values[k];
  }
  return known.at(key(point));
}

void MixedSource::read(const HostBlock& block) {
  with_type(block.type, [&]<class T>(T) {
    for_each_point(block.box,
                   [&](const Point& p) { element_of<T>(block, p) = static_cast<T>(array_->at(p)); });
  });
}

void MixedSink::write(const HostBlock& block) {
  with_type(block.type, [&]<class T>(T) {
    for_each_point(block.box, [&](const Point& p) {
      array.at(p) = static_cast<double>(element_of<T>(block, p));
      ++writes.at(p);
    });
  });
}

MixedBindings::MixedBindings(const MixedGraph& graph) {
  for (ArrayId id : graph.pipeline.ids()) {
    const ArrayDeclaration& array = graph.pipeline[id];
    sinks.push_back(array.is_output ? std::make_unique<MixedSink>(array.domain) : nullptr);
    if (array.is_output) bindings.sinks[array.name] = sinks.back().get();
    if (!array.is_input()) continue;
    sources.push_back(std::make_unique<MixedSource>(graph.inputs[id]));
    bindings.sources[array.name] = sources.back().get();
  }
}

Schedule random_mixed_schedule(Random& random, const Algorithm& pipeline, int ranks) {
  Schedule schedule;
  schedule.grid = random_grid_request(random, random.small(1, 2));
  schedule.slicing = random.chance(30) ? Slicing::balanced : Slicing::ceil;
  schedule.overlap = random.one_of<Overlap>({Overlap::automatic, Overlap::on, Overlap::off});
  for (const ArrayDeclaration& array : pipeline.arrays()) {
    if (random.chance(15) || array.is_further_output()) continue;
    StageSchedule stage;
    bool is_output = false;
    for (ArrayId part : IdRange(array.lead, array.lead + array.output_count))
      is_output = is_output || pipeline[part].is_output;
    if (!array.is_input() && !is_output && !array.is_reduction())
      stage.placement = static_cast<Placement>(random.small(0, 3));
    const int dimensions = array.computed_dimensions();
    if (random.chance(60)) stage.grid = random_mixed_grid(random, array, dimensions, ranks);
    if (!array.is_input()) stage.tile = random_tile(random, dimensions);
    stage.align_own = random.chance(20);
    schedule.stages[array.name] = stage;
  }
  return schedule;
}

}  // namespace tessera::test
