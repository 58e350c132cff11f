// SPDX-License-Identifier: BSD-3-Clause
// Expressions of chains beside the same stages written in C++, in turn, on one rank.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "tessera/app/session.hpp"
#include "tessera/operators/expression.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace {

using namespace tessera;

struct Brighter {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return clamp(1.5f * cast<float>(a(x, y)) - cast<float>(b(x, y)), 0.0f, 255.0f);
  }
};

struct BrighterBytes {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return cast<std::uint8_t>(
        cast<int>(clamp(1.5f * cast<float>(a(x, y)) - cast<float>(b(x, y)), 0.0f, 255.0f) + 0.49999997f));
  }
};

struct Long {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& in_a, const B& in_b, Coord x, Coord y) const {
    const auto a = cast<float>(in_a(x, y)), b = cast<float>(in_b(x, y));
    const auto difference = a - b;
    const auto norm = sqrt(difference * difference + a * a * 0.25f + 1.0f);
    return clamp(select(a > b, a * 0.75f + b * 0.25f, norm * 2.0f) - abs(difference) / 3.0f, 0.0f, 255.0f);
  }
};

struct Mean {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return (in(x - 1, y) + in(x, y) + in(x + 1, y)) / 3.0f;
  }
};

/// An expression, and the same in C++.
struct Case {
  const char* name;
  Pipeline expression;
  Pipeline cxx;
};

template <class T, class Out, class Body>
Case make_case(const char* name, const std::string& text, const Body& body, const Box& box) {
  Case made{name, {}, {}};
  for (const bool is_cxx : {false, true}) {
    Pipeline& pipeline = is_cxx ? made.cxx : made.expression;
    const auto a = pipeline.input<T, 2>("a", box), b = pipeline.input<T, 2>("b", box);
    if (is_cxx) {
      pipeline.output(pipeline.stage<Out>("result", body, a, b), box);
    } else {
      const operators::Image result = operators::expression(
          pipeline, text, {{"a", operators::image_of(pipeline, a)}, {"b", operators::image_of(pipeline, b)}},
          {.type = element_type_of<Out>(), .name = "result"});
      operators::output(pipeline, result);
    }
  }
  return made;
}

/// An expression between two stencils, all in tiles.
Case make_chain(const Box& box) {
  Case made{"float32, between two stencils", {}, {}};
  for (const bool is_cxx : {false, true}) {
    Pipeline& pipeline = is_cxx ? made.cxx : made.expression;
    const auto a = pipeline.input<float, 2>("a", box, Boundary::clamp),
               b = pipeline.input<float, 2>("b", box, Boundary::clamp);
    const auto mean = pipeline.stage<float>("mean", Mean{}, a);
    ArrayId id = {};
    if (is_cxx)
      id = pipeline.stage<float>("result", Brighter{}, mean, b).id;
    else
      id = operators::expression(
               pipeline, "clamp(1.5 * a - b, 0, 255)",
               {{"a", operators::image_of(pipeline, mean.id, box)}, {"b", operators::image_of(pipeline, b)}},
               {.name = "result"})
               .id;
    pipeline.output(pipeline.stage<float>("last", Mean{}, Array<float, 2>{id}), box);
  }
  return made;
}

/// Fills the inputs with a pattern.
class PatternSource final : public BlockSource {
 public:
  explicit PatternSource(std::int64_t element_bytes) : element_bytes_(element_bytes) {}
  void read(const HostBlock& block) override {
    for (std::int64_t y = 0; y < block.box[1].size(); ++y)
      for (std::int64_t x = 0; x < block.box[0].size(); ++x) {
        std::byte* const at = block.data + (y * block.strides[1] + x) * element_bytes_;
        const auto value = static_cast<unsigned>((x * 7 + y * 13) & 255);
        if (element_bytes_ == 1) *at = static_cast<std::byte>(value);
        const auto number = static_cast<float>(value);
        if (element_bytes_ == 4) std::memcpy(at, &number, sizeof number);
      }
  }

 private:
  std::int64_t element_bytes_;
};

PlanInstance make_instance(const Pipeline& pipeline, int threads, bool fused) {
  Schedule schedule;
  if (fused)
    for (const char* stage : {"mean", "result"}) schedule.stages[stage].placement = Placement::tile;
  Target target;
  target.threads = threads;
  target.cache_bytes = cache_to_write_past(threads);
  PlanInstance instance(pipeline, make_plan(pipeline, schedule, target, 1, 0), MPI_COMM_SELF);
  PatternSource source(static_cast<std::int64_t>(size_of(pipeline[ArrayId{0}].type)));
  instance.load("a", source);
  instance.load("b", source);
  return instance;
}

double seconds_of(PlanInstance& instance) {
  const auto begin = std::chrono::steady_clock::now();
  instance.compute();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void measure(const app::Session& session, const Case& measured, int threads, int rounds, bool fused) {
  PlanInstance expression = make_instance(measured.expression, threads, fused);
  PlanInstance cxx = make_instance(measured.cxx, threads, fused);
  std::vector<double> times, ratios;
  for (int round = -2; round < rounds; ++round) {
    const double one = seconds_of(expression), other = seconds_of(cxx);
    if (round < 0) continue;
    times.push_back(other);
    ratios.push_back(one / other);
  }
  session.print(fmt::format("{:36} C++ {:7.2f} ms, expression {:.2f} of it\n", measured.name,
                            median(times) * 1e3, median(ratios)));
}

app::ExitStatus run(app::Session& session, int argc, char** argv) {
  CLI::App command_line("Expressions of chains beside the same stages in C++");
  int size = 4096, threads = 1, rounds = 31;
  command_line.add_option("--size", size, "Points along x and y");
  command_line.add_option("--threads", threads, "Threads");
  command_line.add_option("--rounds", rounds, "How often each is run");
  command_line.parse(argc, argv);
  session.start_kokkos(threads);
  const Box box{{0, size}, {0, size}};
  const std::string brighter = "clamp(1.5 * a - b, 0, 255)";
  const std::string longer =
      "clamp(select(a > b, a * 0.75 + b * 0.25, sqrt((a - b) * (a - b) + a * a * 0.25 + 1) * 2) - abs(a - b) "
      "/ 3, 0, 255)";
  measure(session, make_case<std::uint8_t, float>("uint8 to float32", brighter, Brighter{}, box), threads,
          rounds, false);
  measure(session, make_case<std::uint8_t, std::uint8_t>("uint8 to uint8", brighter, BrighterBytes{}, box),
          threads, rounds, false);
  measure(session, make_case<float, float>("float32", brighter, Brighter{}, box), threads, rounds, false);
  measure(session, make_case<float, float>("float32, 15 operations", longer, Long{}, box), threads, rounds,
          false);
  measure(session, make_case<std::uint8_t, float>("uint8, 15 operations", longer, Long{}, box), threads,
          rounds, false);
  measure(session, make_chain(box), threads, rounds, true);
  return app::ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_program(argc, argv, "tessera-bench-expressions", run);
}
