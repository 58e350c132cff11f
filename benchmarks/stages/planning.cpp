// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "stages/bodies.hpp"
#include "stages/images.hpp"
#include "stages/report.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "turns.hpp"

namespace bench {
namespace {

using tessera::app::Session;

constexpr int stage_count = 100;
/// The points along x and along y of the block of each rank.
constexpr int block = 1024;
/// Ranks that plan, spread over all.
constexpr int planning_ranks = 7;
constexpr double most_microseconds = 1000;

struct Sum {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& a, const In& b, Coord x, Coord y) const {
    return a(x, y) + b(x, y);
  }
};

/// A chain of boxes; every tenth stage adds up the one before it and the one five before it.
tessera::Pipeline long_pipeline(Size size) {
  tessera::Pipeline pipeline;
  std::vector<tessera::Array<float, 2>> arrays = {
      pipeline.input<float, 2>("input", box_of(size), tessera::Boundary::clamp)};
  for (int s = 1; s <= stage_count; ++s) {
    const std::string name = fmt::format("stage {}", s);
    if (s % 10 == 0)
      arrays.push_back(pipeline.stage<float>(name, Sum{}, arrays.back(), arrays[arrays.size() - 5]));
    else
      arrays.push_back(pipeline.stage<float>(name, Box3x3{}, arrays.back()));
  }
  pipeline.output(arrays.back());
  return pipeline;
}

/// The ranks of a square grid of `side` ranks a side.
void measure(const Session& session, const Options& options, int side) {
  const int ranks = side * side;
  const Size size{block * side, block * side};
  const tessera::Pipeline pipeline = long_pipeline(size);
  tessera::Schedule schedule;
  schedule.grid.entries = {side, side};
  const tessera::Target target{session.threads(), !tessera::runs_on_host};
  std::vector<Contender> contenders;
  for (int i = 0; i < std::min(ranks, planning_ranks); ++i) {
    const int rank = static_cast<int>(std::int64_t{ranks} * i / planning_ranks) + (ranks > 1 ? side / 2 : 0);
    contenders.push_back({fmt::format("rank {}", rank), [&, rank] {
                            if (make_plan(pipeline, schedule, target, ranks, rank).peak_bytes() == 0)
                              throw tessera::InternalError("a plan without memory");
                          }});
  }
  Turns turns({session.communicator()}, contenders);
  turns.rounds(options.rounds);
  const auto times = turns.medians();
  print(session, {"planning",
                  fmt::format("{} stages for {} ranks", stage_count, ranks),
                  size.text(),
                  "us",
                  median(times),
                  most_microseconds,
                  {0, 1},
                  fmt::format("the slowest of {} ranks takes {:.0f} us", times.size(),
                              *std::max_element(times.begin(), times.end()))});
}

}  // namespace

void measure_planning(const Session& session, const Options& options) {
  for (const int side : {1, 8, 64}) measure(session, options, side);
}

}  // namespace bench
