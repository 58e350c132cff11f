// SPDX-License-Identifier: BSD-3-Clause
#include "stages/images.hpp"
#include "stages/report.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "turns.hpp"

namespace bench {
namespace {

using tessera::app::Session;

constexpr Size tiny{16, 16};
/// Runs per timed section.
constexpr int batch = 200;
/// The most that a run may cost, and the most empty kernels per step.
constexpr double most_microseconds = 20;
constexpr double most_launches = 2;

struct Increment {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y) + 1;
  }
};

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

void launch_nothing(int threads) {
  const tessera::ExecutionSpace execution;
  Kokkos::parallel_for("nothing", Kokkos::RangePolicy<tessera::ExecutionSpace>(execution, 0, threads),
                       Nothing{});
  execution.fence();
}

tessera::Pipeline chain(int stages) {
  tessera::Pipeline pipeline;
  auto last = pipeline.input<float, 2>("input", box_of(tiny));
  for (int s = 0; s < stages; ++s)
    last = pipeline.stage<float>(fmt::format("stage {}", s), Increment{}, last);
  pipeline.output(last, box_of(tiny));
  return pipeline;
}

void measure(const Session& session, const Options& options, int stages) {
  tessera::PlanInstance instance = make_instance<float>(session, chain(stages));
  int steps = 0;
  instance.compute([&](const tessera::PlanNode&) { ++steps; });
  Turns turns({session.communicator(), batch},
              {{"run", [&] { instance.compute(); }}, {"launch", [&] { launch_nothing(session.threads()); }}});
  turns.rounds(options.rounds);
  const auto times = turns.medians();
  print(session, {"runs",
                  fmt::format("chain of {}", stages),
                  tiny.text(),
                  "us",
                  times[0],
                  most_microseconds + most_launches * times[1] * steps,
                  {0, 1},
                  fmt::format("{} steps; an empty launch takes {:.2f} us", steps, times[1])});
}

}  // namespace

void measure_runs(const Session& session, const Options& options) {
  for (const int stages : {1, 10, 100}) measure(session, options, stages);
}

}  // namespace bench
