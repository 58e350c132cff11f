// SPDX-License-Identifier: BSD-3-Clause
#include "operators/operator_run.hpp"

#include <cstring>

#include "pipeline/limited_instructions.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace tessera::test {

std::vector<Box> operator_boxes() {
#ifdef TESSERA_TEST_FEWER
  return {{{0, 1}, {0, 1}}, {{0, 19}, {0, 11}, {0, 3}}};
#else
  return {{{0, 1}, {0, 1}},          {{0, 37}, {0, 23}},         {{0, 70}, {0, 3}},
          {{0, 2}, {0, 17}, {0, 3}}, {{0, 19}, {0, 11}, {0, 3}}, {{0, 21}, {0, 5}, {0, 1}}};
#endif
}

template <class T>
WholeArray<T> random_pixels(Random& random, const Box& box, Pixels pixels) {
  WholeArray<T> image(box);
  const bool few = random.chance(30);
  for (T& value : image.values) {
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(random.chance(80) ? random.real(0, 1) : random.real(-2, 3));
    else
      value = static_cast<T>(few ? random.small(100, 103) : random.small(0, std::numeric_limits<T>::max()));
  }
  if constexpr (std::is_floating_point_v<T>)
    if (pixels == Pixels::any)
      for (T& value : image.values)
        if (random.chance(15)) value = random.one_of<T>({NAN, INFINITY, -INFINITY, T(-0.0), T(0)});
  return image;
}

namespace {

/// Returns plans by a random schedule, and writes the schedule to `text`. Some schedules divide lines that
/// are computed as a whole, and are refused: others are tried then.
std::vector<Plan> plans_of(Random& random, const Algorithm& pipeline, const Target& target, int ranks,
                           std::string& text) {
  for (;;) {
    const Schedule schedule = random_schedule(random, pipeline);
    text = to_string(schedule) + " on " + std::to_string(ranks);
    try {
      return make_plans(pipeline, schedule, target, ranks);
    } catch (const ScheduleError& error) {
      if (std::string(error.what()).find("in whole lines") == std::string::npos) throw;
    }
  }
}

}  // namespace

template <class In, class Out>
OperatorRun<In, Out>::OperatorRun(Random& random, const Algorithm& pipeline,
                                  const std::vector<std::string>& names,
                                  const std::vector<WholeArray<In>>& inputs, const operators::Image& output,
                                  Scheduling run) {
  const int ranks = run == Scheduling::plain ? 1
                    : random.chance(5)       ? random.small(5, 16)
                                             : random.small(1, 4);
  std::vector<ArraySource<In>> sources(inputs.begin(), inputs.end());
  Bindings bindings;
  for (std::size_t i = 0; i < names.size(); ++i) bindings.sources[names[i]] = &sources[i];
  ArraySink<Out> sink(output.domain);
  bindings.sinks[pipeline[output.id].name] = &sink;
  Target target;
  if (run == Scheduling::plain) {
    text = "the default schedule on 1";
    Rehearsal(pipeline, make_plans(pipeline, {}, target, ranks)).run(bindings);
  } else {
    target.threads = random.small(1, 2);
    target.device = random.chance(30);
    const LimitedInstructions limited(all_instruction_sets[random.small(0, 2)]);
    Rehearsal(pipeline, plans_of(random, pipeline, target, ranks, text)).run(bindings);
  }
  EXPECT_TRUE(sink.every_point_written_once()) << text;
  result = sink.array;
}

namespace {

/// Runs an operator by the default schedule on one rank, and by a random one, and expects the same bits.
template <class In, class Out>
WholeArray<Out> result_of(Random& random, const std::string& name, const operators::ParameterValues& values,
                          const std::vector<WholeArray<In>>& inputs) {
  Pipeline pipeline;
  std::vector<operators::Image> images;
  std::vector<std::string> names;
  for (const WholeArray<In>& input : inputs) {
    names.push_back("input" + std::to_string(names.size()));
    const auto& box = input.box;
    const BoundaryConditions boundary = random.chance(50) ? Boundary::clamp : Boundary::none;
    images.push_back(box.dimensions == 2
                         ? operators::image_of(pipeline, pipeline.input<In, 2>(names.back(), box, boundary))
                         : operators::image_of(pipeline, pipeline.input<In, 3>(names.back(), box, boundary)));
  }
  const operators::Image output = operators::find_operator(name).apply(pipeline, images, values, "result");
  operators::output(pipeline, output);
  if (output.type != element_type_of<Out>()) throw InternalError("the result has another type");
  const OperatorRun<In, Out> plain(random, pipeline, names, inputs, output, Scheduling::plain);
  const OperatorRun<In, Out> other(random, pipeline, names, inputs, output, Scheduling::random);
  EXPECT_TRUE(plain.result.same_bits(other.result)) << name << " of " << other.text;
  return plain.result;
}

/// Expects accepts(result, expected) for each point.
template <class Out, class Expected, class Accepts>
void expect_points(const std::string& what, const WholeArray<Out>& result,
                   const WholeArray<Expected>& expected, const Accepts& accepts) {
  ASSERT_EQ(result.box, expected.box) << what;
  int shown = 0;
  for_each_point(expected.box, [&](const Point& p) {
    if (!accepts(result.at(p), expected.at(p)) && ++shown < 4)
      ADD_FAILURE() << what << " on " << to_string(expected.box) << ": is "
                    << static_cast<double>(result.at(p)) << " and should be "
                    << static_cast<double>(expected.at(p)) << " at (" << p[0] << ", " << p[1] << ", " << p[2]
                    << ")";
  });
}

template <class T>
std::string text_of(const std::string& name) {
  return name + " of " + std::string(name_of(element_type_of<T>()));
}

}  // namespace

template <class In, class Out>
void expect_operator(Random& random, const std::string& name, const operators::ParameterValues& values,
                     const std::vector<WholeArray<In>>& inputs, const WholeArray<Out>& expected) {
  expect_points(text_of<In>(name), result_of<In, Out>(random, name, values, inputs), expected,
                [](const Out& is, const Out& should) {
                  return std::memcmp(&is, &should, sizeof is) == 0 || is == should ||
                         (is != is && should != should);
                });
}

template <class In, class Out>
void expect_near(Random& random, const std::string& name, const operators::ParameterValues& values,
                 const std::vector<WholeArray<In>>& inputs, const WholeArray<double>& exact, double error) {
  expect_points(text_of<In>(name), result_of<In, Out>(random, name, values, inputs), exact,
                [error](const Out& is, double should) {
                  if constexpr (std::is_floating_point_v<Out>)
                    return std::abs(static_cast<double>(is) - should) <= error ||
                           static_cast<double>(is) == should || (std::isnan(is) && std::isnan(should));
                  else
                    return is >= stored<Out>(should - error) && is <= stored<Out>(should + error);
                });
}

#define TESSERA_TEST_IN_OUT(In, Out)                                                                 \
  template class OperatorRun<In, Out>;                                                               \
  template void expect_operator(Random&, const std::string&, const operators::ParameterValues&,      \
                                const std::vector<WholeArray<In>>&, const WholeArray<Out>&);         \
  template void expect_near<In, Out>(Random&, const std::string&, const operators::ParameterValues&, \
                                     const std::vector<WholeArray<In>>&, const WholeArray<double>&, double);
#define TESSERA_TEST_IN(In)                                           \
  template WholeArray<In> random_pixels(Random&, const Box&, Pixels); \
  TESSERA_TEST_IN_OUT(In, std::uint8_t)                               \
  TESSERA_TEST_IN_OUT(In, std::uint16_t)                              \
  TESSERA_TEST_IN_OUT(In, float)
TESSERA_TEST_IN(std::uint8_t)
TESSERA_TEST_IN(std::uint16_t)
TESSERA_TEST_IN(float)

}  // namespace tessera::test
