// SPDX-License-Identifier: BSD-3-Clause
// A program of tasks on groups of ranks: its makespan with each allocation, beside the one that is predicted
// from the seconds of its tasks. Start it with mpiexec.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "command_line.hpp"
#include "tessera/app/session.hpp"
#include "tessera/cost/work_costs.hpp"
#include "tessera/domain/block_distribution.hpp"
#include "tessera/group/allocation.hpp"
#include "tessera/group/program.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/group/program_run.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/view/block_io.hpp"
#include "timing.hpp"

namespace {

using namespace tessera;
using app::ExitStatus;
using app::Session;

/// The sum of a square window of 2 `radius` + 1 points with weights.
template <int radius>
struct Window {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto sum = in.zero();
    for (int j = -radius; j <= radius; ++j)
      for (int i = -radius; i <= radius; ++i)
        sum = sum + in(x + i, y + j) * (0.01f * static_cast<float>(i * i + j));
    return sum;
  }
};
struct Join {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return tessera::max(a(x, y), b(x, y));
  }
};

/// Four filters of different costs of one smoothed image, joined in pairs, and the pairs: unequal tasks.
Pipeline make_pipeline(const Box& box) {
  Pipeline p;
  const auto image = p.input<float, 2>("image", box, Boundary::clamp);
  const auto smooth = p.stage<float>("smooth", Window<1>{}, image);
  const auto a = p.stage<float>("a", Window<1>{}, smooth);
  const auto b = p.stage<float>("b", Window<2>{}, smooth);
  const auto c = p.stage<float>("c", Window<3>{}, smooth);
  const auto d = p.stage<float>("d", Window<4>{}, smooth);
  const auto ab = p.stage<float>("ab", Join{}, a, b);
  const auto cd = p.stage<float>("cd", Join{}, c, d);
  p.output(p.stage<float>("all", Join{}, ab, cd));
  return p;
}

/// Gives any values.
class Ramp final : public BlockSource {
 public:
  void read(const HostBlock& block) override {
    const std::int64_t count = block.box.size();
    for (std::int64_t i = 0; i < count; ++i)
      reinterpret_cast<float*>(block.data)[i] = static_cast<float>(i % 251);
  }
};

/// Returns the seconds from the first beginning of a task to the last end, over all ranks. Collective.
double makespan(MPI_Comm communicator, const group::StreamOutcome& outcome) {
  double begin = std::numeric_limits<double>::infinity(), end = 0;
  for (const group::StreamTimes& step : outcome.tasks) {
    if (step.task == group::start_task || step.task == group::stop_task) continue;
    begin = std::min(begin, step.begins);
    end = std::max(end, step.ends);
  }
  MPI_Allreduce(MPI_IN_PLACE, &begin, 1, MPI_DOUBLE, MPI_MIN, communicator);
  MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, communicator);
  return end - begin;
}

struct Copy {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y) + 0.0f;
  }
};

/// An array that is read in rows, copied in columns, and copied in rows on the ranks in reverse order, so
/// that it is redistributed twice, by hand: packed, sent by MPI_Alltoallv, unpacked.
class ByHand {
 public:
  ByHand(MPI_Comm communicator, const Box& box, int rank, int ranks)
      : communicator_(communicator), ranks_(ranks) {
    for (const bool in_columns : {false, true, false}) {
      const GridRequest request{in_columns ? std::vector<int>{0, 1} : std::vector<int>{1, 0}};
      const BlockDistribution blocks(box, box, resolve_grid(request, box, ranks));
      std::vector<Box> owned;
      for (int i = 0; i < ranks; ++i) owned.push_back(blocks.owned(boxes_.size() == 2 ? ranks - 1 - i : i));
      points_.emplace_back(static_cast<std::size_t>(owned[static_cast<std::size_t>(rank)].size()));
      boxes_.push_back(owned);
    }
    copy_.resize(std::max({points_[0].size(), points_[1].size(), points_[2].size()}));
    sent_.resize(copy_.size());
    received_.resize(copy_.size());
    rank_ = static_cast<std::size_t>(rank);
  }

  void run(BlockSource& source) {
    source.read(block(0));
    for (std::size_t step : {1U, 2U}) {
      redistribute(step - 1, step);
      std::copy(points_[step].begin(), points_[step].end(), copy_.begin());
    }
  }

 private:
  HostBlock block(std::size_t step) {
    return packed_block(reinterpret_cast<std::byte*>(points_[step].data()), ElementType::float32,
                        boxes_[step][rank_]);
  }
  /// Copies the parts that ranks exchange between a block and a message, and returns the counts and the
  /// places.
  template <class Part, class Act>
  std::pair<std::vector<int>, std::vector<int>> parts(std::vector<float>& message, const Part& part,
                                                      const Act& act) {
    std::vector<int> counts, places;
    int place = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(ranks_); ++i) {
      const Box box = part(i);
      act(packed_block(reinterpret_cast<std::byte*>(message.data() + place), ElementType::float32, box), box);
      counts.push_back(static_cast<int>(box.size()));
      places.push_back(place);
      place += counts.back();
    }
    return {counts, places};
  }
  void redistribute(std::size_t from, std::size_t to) {
    const HostBlock mine = block(from), result = block(to);
    const auto ignore = [](const HostBlock&, const Box&) {};
    const auto incoming = [&](std::size_t i) { return intersection(boxes_[from][i], result.box); };
    const auto sends = parts(
        sent_, [&](std::size_t i) { return intersection(mine.box, boxes_[to][i]); },
        [&](const HostBlock& part, const Box& box) { copy_part(mine, part, box); });
    const auto receives = parts(received_, incoming, ignore);
    MPI_Alltoallv(sent_.data(), sends.first.data(), sends.second.data(), MPI_FLOAT, received_.data(),
                  receives.first.data(), receives.second.data(), MPI_FLOAT, communicator_);
    parts(received_, incoming, [&](const HostBlock& part, const Box& box) { copy_part(part, result, box); });
  }

  MPI_Comm communicator_;
  int ranks_;
  std::size_t rank_ = 0;
  std::vector<std::vector<Box>> boxes_;
  std::vector<std::vector<float>> points_;
  std::vector<float> copy_, sent_, received_;
};

struct Options {
  int side = 2048;
  int runs = 21;
  int threads = 1;
  double latency_microseconds = 1;
  double gigabytes_per_second = 5;
};

/// Runs a program with several allocations.
class Bench {
 public:
  Bench(Session& session, const Options& options)
      : session_(session),
        options_(options),
        pipeline_(make_pipeline(Box{{0, options.side}, {0, options.side}})),
        program_(group::cut(
            pipeline_, {},
            {{"a", {"a"}}, {"b", {"b"}}, {"c", {"c"}}, {"d", {"d"}}, {"join", {"ab", "cd", "all"}}})) {
    target_.threads = options.threads;
  }

  void run() {
    const group::TaskGraph graph = group::task_graph(program_, costs());
    std::vector<std::unique_ptr<group::ProgramInstance>> instances;
    std::vector<group::GroupSchedule> schedules;
    for (const auto strategy : {group::Strategy::data, group::Strategy::task, group::Strategy::mixed}) {
      group::AllocationSettings settings;
      settings.strategy = strategy;
      settings.communication.network = {options_.latency_microseconds * 1e-6,
                                        1e-9 / options_.gigabytes_per_second};
      schedules.push_back(group::allocate(graph, session_.rank_count(), settings));
      instances.push_back(instance(schedules.back()));
    }
    std::vector<std::vector<double>> times(instances.size());
    for (int run = 0; run <= options_.runs; ++run)
      for (std::size_t i = 0; i < instances.size(); ++i) {
        const double seconds =
            makespan(session_.communicator(), instances[i]->run({{{"image", &image_}}, {}}));
        if (run > 0) times[i].push_back(seconds);
      }
    session_.print("allocation,strategy,ranks,median_ms,least_ms,predicted_ms,predicted_by_median\n");
    for (std::size_t i = 0; i < instances.size(); ++i) {
      std::ranges::sort(times[i]);
      const double median = times[i][times[i].size() / 2];
      session_.print(fmt::format("{},{},{},{:.3f},{:.3f},{:.3f},{:.3f}\n",
                                 i == 0   ? "data"
                                 : i == 1 ? "task"
                                          : "mixed",
                                 schedules[i].strategy, session_.rank_count(), median * 1e3,
                                 times[i].front() * 1e3, schedules[i].makespan * 1e3,
                                 schedules[i].makespan / median));
    }
  }

 private:
  std::unique_ptr<group::ProgramInstance> instance(const group::GroupSchedule& schedule) {
    const group::ProgramPlanner planner(program_, schedule, target_);
    return std::make_unique<group::ProgramInstance>(program_, planner.plan(session_.rank()),
                                                    session_.communicator());
  }

  /// Measures the tasks on 1, 2, 4, ... ranks, and fits their costs.
  std::vector<cost::TaskCost> costs() {
    std::vector<cost::TaskCost> costs;
    for (const auto& measured : group::profile(session_.communicator(), program_, target_,
                                               {{{"image", &image_}}, {}}, options_.runs))
      costs.push_back(cost::measured_task_cost(measured).cost);
    return costs;
  }

  Session& session_;
  const Options& options_;
  Pipeline pipeline_;
  group::Program program_;
  Target target_;
  Ramp image_;
};

/// Compares two redistributions between tasks with MPI_Alltoallv.
void compare_redistribution(Session& session, const Options& options) {
  const Box box{{0, options.side}, {0, options.side}};
  Pipeline pipeline;
  const auto image = pipeline.input<float, 2>("image", box);
  const auto columns = pipeline.stage<float>("columns", Copy{}, image);
  pipeline.output(pipeline.stage<float>("rows", Copy{}, columns));
  Schedule schedule;
  schedule.stages["columns"].grid = GridRequest{{0, 1}};
  group::Program program;
  const group::Program cut = group::cut(pipeline, schedule, {{"first", {"columns"}}, {"second", {"rows"}}});
  for (const group::ProgramTask& task : cut.tasks()) {
    Schedule own = task.schedule;
    for (const char* name : {"image", "columns"})
      if (task.name == "first") own.stages[name].grid = GridRequest{{0, 1}};
    program.add(task.name, task.pipeline, own);
  }
  program.input("image", "first", "image");
  program.connect("first", "columns", "second", "columns");
  program.output("rows", "second", "rows");
  const int ranks = session.rank_count();
  group::GroupSchedule groups = group::data_parallel_schedule(program, ranks, ranks);
  std::ranges::reverse(groups.tasks[1].ranks);
  Target target;
  target.threads = options.threads;
  const group::ProgramPlanner planner(program, groups, target);
  group::ProgramInstance instance(program, planner.plan(session.rank()), session.communicator());
  ByHand by_hand(session.communicator(), box, session.rank(), session.rank_count());
  Ramp ramp;
  const auto timings = bench::time_together(
      session.communicator(), options.runs,
      [&] {
        instance.run({{{"image", &ramp}}, {}});
      },
      [&] { by_hand.run(ramp); });
  session.print(fmt::format("redistribution_ms,alltoallv_ms,ratio\n{:.3f},{:.3f},{:.3f}\n", timings[0].median,
                            timings[1].median, timings[0].median / timings[1].median));
}

ExitStatus run(Session& session, int argc, char** argv) {
  Options options;
  CLI::App command_line(
      "The makespan of a program of unequal tasks with each allocation, measured and predicted.");
  command_line.add_option("--side", options.side, "Points of a side of the image")
      ->check(CLI::Range(16, 1 << 16));
  command_line.add_option("--runs", options.runs, "Runs of each allocation")->check(CLI::Range(1, 10000));
  command_line.add_option("--threads", options.threads, "Threads of a rank")->check(CLI::Range(1, 512));
  command_line.add_option("--latency", options.latency_microseconds,
                          "Microseconds of a message without bytes");
  command_line.add_option("--bandwidth", options.gigabytes_per_second,
                          "Gigabytes that messages carry in a second");
  if (const std::string help = bench::parse_arguments(command_line, argc, argv); !help.empty()) {
    session.print(help);
    return ExitStatus::done;
  }
  session.start_kokkos(options.threads);
  Bench(session, options).run();
  compare_redistribution(session, options);
  return ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) { return tessera::app::run_program(argc, argv, "tessera-bench-tasks", run); }
