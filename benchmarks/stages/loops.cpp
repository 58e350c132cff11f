// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <deque>

#include "apps/helmholtz/stages.hpp"
#include "copy.hpp"
#include "stages/report.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "turns.hpp"

namespace bench {
namespace {

using helmholtz::Norm;
using helmholtz::Problem;
using helmholtz::Solver;

constexpr int turns_per_run = 100;
/// Jacobi's method reads u and f and writes u: floats.
constexpr double bytes_per_point = 12;

/// Turns of Jacobi's method on a square, ready to run.
class JacobiRun {
 public:
  JacobiRun(const tessera::app::Session& session, Size size, Norm norm, tessera::LoopSchedule loop)
      : pipeline_(rounds_of(size, norm, loop)), instance_(make_instance(session)) {}

  void run() { instance_.compute(); }

 private:
  static tessera::Rounds rounds_of(Size size, Norm norm, const tessera::LoopSchedule& loop) {
    const Problem problem{.intervals_x = size.width + 1,
                          .intervals_y = size.height + 1,
                          .solver = Solver::jacobi,
                          .turns = turns_per_run,
                          .norm = norm};
    tessera::Pipeline pipeline;
    pipeline.output(helmholtz::solve<float>(pipeline, problem));
    tessera::Schedule schedule;
    schedule.grid = {{1, 0}};
    schedule.loops["solve"] = loop;
    return tessera::in_rounds(pipeline, schedule);
  }

  tessera::PlanInstance make_instance(const tessera::app::Session& session) const {
    tessera::Target target;
    target.threads = session.threads();
    if (!target.device) target.cache_bytes = tessera::cache_to_write_past(target.threads);
    const tessera::Plan plan = tessera::make_plan(pipeline_.pipeline, pipeline_.schedule, target,
                                                  session.rank_count(), session.rank());
    return {pipeline_.pipeline, plan, session.communicator()};
  }

  tessera::Rounds pipeline_;
  tessera::PlanInstance instance_;
};

/// A way to run the turns, and its name.
struct Variant {
  std::string name;
  tessera::LoopSchedule loop;
};

/// Microseconds a turn of each variant.
std::vector<double> time_variants(const tessera::app::Session& session, int rounds, Size size, Norm norm,
                                  const std::vector<Variant>& variants, std::vector<Contender> others) {
  std::deque<JacobiRun> runs;
  std::vector<Contender> contenders;
  for (const Variant& variant : variants) {
    JacobiRun& run = runs.emplace_back(session, size, norm, variant.loop);
    contenders.push_back({variant.name, [&run] { run.run(); }});
  }
  contenders.insert(contenders.end(), others.begin(), others.end());
  Turns turns({session.communicator()}, std::move(contenders));
  turns.rounds(rounds);
  std::vector<double> times = turns.medians();
  for (double& time : times) time /= turns_per_run;
  return times;
}

/// Against memory: what a copy of as many bytes takes, in the same minutes.
void measure_large(const tessera::app::Session& session, int rounds, Norm norm, const std::string& name) {
  constexpr Size size{4096, 4096};
  const std::vector<Variant> variants = {{"turn by turn", {1, 1, 1}},
                                         {"4 turns a tile", {1, 4, 1}},
                                         {"8 turns a tile", {1, 8, 1}},
                                         {"16 turns a tile", {1, 16, 1}}};
  Copy<float> copy(session, size);
  const auto times =
      time_variants(session, rounds, size, norm, variants, {{"copy", [&copy] {
                                                               for (int i = 0; i < turns_per_run; ++i)
                                                                 copy.run();
                                                             }}});
  const double limit = times.back() * bytes_per_point / (2 * sizeof(float));
  print(session, {"loops",
                  "helmholtz, " + name + ": the time of a copy against a turn",
                  size.text(),
                  "us",
                  limit,
                  times[0],
                  {.least = 0.9}});
  for (std::size_t i = 1; i < variants.size(); ++i)
    print(session, {"loops",
                    "helmholtz, " + name + ": turn by turn against " + variants[i].name,
                    size.text(),
                    "us",
                    times[0],
                    times[i],
                    {.least = i == 2 ? 1.6 : 0}});
}

/// Against messages.
void measure_small(const tessera::app::Session& session, int rounds) {
  constexpr Size size{512, 512};
  const std::vector<Variant> variants = {
      {"turn by turn", {1, 1, 1}},         {"ghosts of 2 turns", {2, 1, 1}},
      {"ghosts of 4 turns", {4, 1, 1}},    {"ghosts of 8 turns", {8, 1, 1}},
      {"a test every 8 turns", {1, 1, 8}}, {"a test that overlaps", {1, 1, 1, true}}};
  const auto times = time_variants(session, rounds, size, Norm::maximum, variants, {});
  for (std::size_t i = 1; i < variants.size(); ++i)
    print(session, {"loops",
                    "helmholtz: turn by turn against " + variants[i].name,
                    size.text(),
                    "us",
                    times[0],
                    times[i],
                    {}});
  const auto best = static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
  print(session, {"loops",
                  "helmholtz: turn by turn against the fastest",
                  size.text(),
                  "us",
                  times[0],
                  times[best],
                  {},
                  variants[best].name});
}

}  // namespace

void measure_loops(const tessera::app::Session& session, const Options& options) {
  measure_large(session, options.rounds, Norm::maximum, "maximum");
  measure_large(session, options.rounds, Norm::root_mean_square, "sum");
  measure_small(session, options.rounds);
}

}  // namespace bench
