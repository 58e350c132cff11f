// SPDX-License-Identifier: BSD-3-Clause
// This program measures what the ends of loops cost an optical flow: where ranks and threads wait for the
// decision about each turn, where they decide while they compute the next turn, and where nobody waits, as
// each pair of frames belongs to one thread and several pairs are in different turns of a graph. Prints CSV.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "apps/flow/pipeline.hpp"
#include "command_line.hpp"
#include "image_size.hpp"
#include "tessera/app/session.hpp"
#include "tessera/graph/graph.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/view/block_io.hpp"

namespace {

using namespace tessera;

struct Options {
  std::vector<std::string> sizes{"640x480", "1280x720"};
  std::vector<std::string> ends{"paper", "data"};
  std::string solver = "chebyshev";
  int threads = 1;
  int pairs = 4;
  int runs = 5;
  bool no_header = false;
};

/// The turns of the paper, none of which a test ends early, or more turns, most of which end early.
flow::Settings settings_of(const Options& options, const std::string& ends) {
  flow::Settings settings;
  settings.solver = options.solver == "jacobi"      ? flow::Solver::jacobi
                    : options.solver == "red_black" ? flow::Solver::red_black
                                                    : flow::Solver::chebyshev;
  const bool is_paper = ends == "paper";
  settings.warps = is_paper ? 3 : 10;
  settings.turns = is_paper ? 5 : 50;
  settings.tolerance = is_paper ? 1e-30 : 0.01;
  settings.warp_tolerance = is_paper ? 1e-30 : 0.02;
  return settings;
}

/// A frame of a texture.
class Frame final : public BlockSource {
 public:
  Frame(const Box& box, double shift) : box_(box) {
    for (std::int64_t b = 0; b < box[1].end; ++b)
      for (std::int64_t a = 0; a < box[0].end; ++a) {
        const double x = static_cast<double>(a) - shift, y = static_cast<double>(b) + shift / 2;
        pixels_.push_back(static_cast<std::uint8_t>(
            127 + 30 * std::sin(0.21 * x + 0.05 * y) + 28 * std::cos(0.17 * y - 0.08 * x) +
            25 * std::sin(0.11 * x) * std::sin(0.13 * y) + 30 * std::sin(0.031 * x - 0.043 * y)));
      }
  }
  void read(const HostBlock& block) override {
    copy_part(packed_block(reinterpret_cast<std::byte*>(pixels_.data()), ElementType::uint8, box_), block,
              block.box);
  }

 private:
  Box box_;
  std::vector<std::uint8_t> pixels_;
};

/// A sum of the bits of a flow, in which the places of the numbers count.
class BitSum final : public BlockSink {
 public:
  void write(const HostBlock& block) override {
    const Box& box = block.box;
    for (std::int64_t c = box[2].begin; c < box[2].end; ++c)
      for (std::int64_t y = box[1].begin; y < box[1].end; ++y)
        for (std::int64_t x = box[0].begin; x < box[0].end; ++x) {
          std::uint32_t bits = 0;
          const std::int64_t place = (x - box[0].begin) * block.strides[0] +
                                     (y - box[1].begin) * block.strides[1] +
                                     (c - box[2].begin) * block.strides[2];
          std::memcpy(&bits, block.data + place * std::int64_t{sizeof(bits)}, sizeof(bits));
          value = value * 0x9E3779B97F4A7C15U + bits;
        }
  }

  std::uint64_t value = 0;
};

/// The turns that the flow of a pair took, and the bits of the flow.
struct Computed {
  std::int64_t turns = 0;
  std::uint64_t bits = 0;
  friend bool operator==(const Computed&, const Computed&) = default;
};

/// The ranks and threads that compute a flow together.
struct Team {
  MPI_Comm communicator;
  int ranks, rank, threads;
  HostMode mode = HostMode::kernels;
};

/// The pipeline of a flow with a schedule of its loops, ready to run.
class PlannedFlow {
 public:
  PlannedFlow(const Box& box, const flow::Settings& settings, bool overlaps_test, const Team& team)
      : rounds_(rounds_of(box, settings, overlaps_test)), instance_(make_instance(team)) {}

  Computed compute(BlockSource& first, BlockSource& second, bool tells_bits) {
    BitSum sum;
    Computed computed;
    Bindings bindings{{{"input", &first}, {"frame_1", &second}}, {}};
    if (tells_bits) bindings.sinks["flow"] = &sum;
    bindings.after_loop = [&](const LoopProgress& progress) {
      const auto& loops = rounds_.pipeline.loops();
      if (loops[static_cast<std::size_t>(progress.loop)].name.starts_with("solve"))
        computed.turns += progress.turns;
    };
    instance_.run(bindings);
    computed.bits = sum.value;
    return computed;
  }

 private:
  static Rounds rounds_of(const Box& box, const flow::Settings& settings, bool overlaps_test) {
    const Pipeline pipeline = flow::make_pipeline(box, ElementType::uint8, settings);
    Schedule schedule;
    schedule.grid = {{1, 0}};
    for (const LoopDeclaration& loop : pipeline.loops())
      if (loop.name.starts_with("solve")) schedule.loops[loop.name].overlaps_test = overlaps_test;
    return in_rounds(pipeline, schedule);
  }
  PlanInstance make_instance(const Team& team) const {
    Target target;
    target.threads = team.threads;
    target.cache_bytes = cache_to_write_past(team.threads);
    return {rounds_.pipeline,
            make_plan(rounds_.pipeline, rounds_.schedule, target, team.ranks, team.rank),
            team.communicator,
            {},
            team.mode};
  }

  Rounds rounds_;
  PlanInstance instance_;
};

/// A series of frames of a moving texture, and the ways to compute the flows of its pairs. All functions are
/// collective. Each throws InternalError if it needs other numbers of turns than the first one, or, on one
/// rank, if a flow has other bits.
class FlowPairs {
 public:
  /// Draws the frames, and plans the pipelines. The texture moves more from frame to frame, so that pairs
  /// need different numbers of turns.
  FlowPairs(const app::Session& session, bench::Size size, int pairs, const flow::Settings& settings)
      : session_(session), settings_(settings), box_{{0, size.width}, {0, size.height}} {
    for (int frame = 0; frame <= pairs; ++frame)
      frames_.emplace_back(box_, 0.8 * frame + 0.3 * frame * frame);
    const Team all{session.communicator(), session.rank_count(), session.rank(), session.threads()};
    for (const bool overlaps_test : {false, true})
      together_.push_back(std::make_unique<PlannedFlow>(box_, settings_, overlaps_test, all));
  }

  /// Computes one pair after the other on all ranks, and all threads of each. They decide about the end of
  /// the solver's loop after each turn, or while they compute the next one.
  void by_pipeline(bool overlaps_test) {
    std::vector<Computed> all;
    for (std::size_t pair = 0; pair + 1 < frames_.size(); ++pair)
      all.push_back(compute(*together_[overlaps_test ? 1 : 0], pair));
    note(all);
  }
  /// Computes each pair on one thread of one rank, and as many pairs at the same time as there are threads.
  void by_graph();

  /// The number of turns of the solver for all pairs.
  std::int64_t turns() const {
    std::int64_t turns = 0;
    for (const Computed& pair : first_) turns += pair.turns;
    return turns;
  }

 private:
  Computed compute(PlannedFlow& planned, std::size_t pair) {
    // On several ranks, none has all points of a flow.
    return planned.compute(frames_[pair], frames_[pair + 1], session_.rank_count() == 1);
  }
  void note(const std::vector<Computed>& all);

  const app::Session& session_;
  flow::Settings settings_;
  Box box_;
  std::deque<Frame> frames_;
  /// The pipelines of all ranks together, and those of single threads, which are kept from run to run.
  std::vector<std::unique_ptr<PlannedFlow>> together_;
  std::vector<std::shared_ptr<PlannedFlow>> alone_;
  /// The results of the first way, which all others must have, too.
  std::vector<Computed> first_;
};

void FlowPairs::by_graph() {
  const auto pairs = std::ssize(frames_) - 1;
  const int ranks = session_.rank_count(), rank = session_.rank();
  std::vector<Computed> all(static_cast<std::size_t>(pairs));
  graph::Graph graph("flow");
  std::size_t used = 0;
  const graph::Pool<PlannedFlow> memory(graph, "pipelines", {.count = session_.threads()}, [&] {
    if (used == alone_.size())
      alone_.push_back(std::make_shared<PlannedFlow>(box_, settings_, false,
                                                     Team{MPI_COMM_SELF, 1, 0, 1, HostMode::calling_thread}));
    return alone_[used++];
  });
  const auto numbers = graph.source("number", {}, [=](std::int64_t number) {
    const std::int64_t pair = rank + number * ranks;
    return pair < pairs ? std::optional(pair) : std::nullopt;
  });
  const auto computed = graph.task(
      "compute", {},
      [this](std::int64_t pair, const graph::Lease<PlannedFlow>& planned) {
        return std::pair(pair, compute(*planned, static_cast<std::size_t>(pair)));
      },
      numbers, memory);
  graph.sink(
      "keep", {},
      [&](const std::pair<std::int64_t, Computed>& one) {
        all[static_cast<std::size_t>(one.first)] = one.second;
      },
      computed);
  graph.configure({.window = 2 * session_.threads()});
  graph.run({.workers = session_.threads()}).wait();
  for (Computed& pair : all)
    MPI_Allreduce(MPI_IN_PLACE, &pair.turns, 1, MPI_INT64_T, MPI_SUM, session_.communicator());
  note(all);
}

void FlowPairs::note(const std::vector<Computed>& all) {
  if (first_.empty()) first_ = all;
  if (all != first_)
    throw InternalError("two variants of the flow have different results or numbers of turns");
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Runs all variants in turn, and prints a line for each of them.
void measure(const app::Session& session, const Options& options, bench::Size size, const std::string& ends) {
  FlowPairs pairs(session, size, options.pairs, settings_of(options, ends));
  struct Variant {
    std::string name;
    std::function<void()> run;
    std::vector<double> times = {};
  };
  std::vector<Variant> variants{{"waits", [&] { pairs.by_pipeline(false); }},
                                {"overlaps", [&] { pairs.by_pipeline(true); }},
                                {"graph", [&] { pairs.by_graph(); }}};
  for (const Variant& variant : variants) variant.run();
  for (int run = 0; run < options.runs; ++run)
    for (Variant& variant : variants) {
      MPI_Barrier(session.communicator());
      const auto began = std::chrono::steady_clock::now();
      variant.run();
      MPI_Barrier(session.communicator());
      const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - began;
      variant.times.push_back(time.count() / options.pairs);
    }
  for (const Variant& variant : variants)
    session.print(fmt::format("{},{},{},{},{},{},{:.3f},{:.3f},{}\n", size.text(), ends, options.solver,
                              session.rank_count(), options.threads, variant.name, median(variant.times),
                              *std::ranges::min_element(variant.times), pairs.turns()));
}

app::ExitStatus run(app::Session& session, int argc, char** argv) {
  CLI::App command_line("The ends of the loops of an optical flow, as CSV.", "tessera-bench-flow");
  Options options;
  command_line.add_option("--sizes", options.sizes, "Sizes of the frames, as WxH")->delimiter(',');
  command_line
      .add_option("--ends", options.ends,
                  "paper: 3 warps of 5 turns; data: up to 10 of 50, until they change little")
      ->delimiter(',')
      ->check(CLI::IsMember({"paper", "data"}));
  command_line.add_option("--solver", options.solver, "What solves the equations of a warp")
      ->check(CLI::IsMember({"jacobi", "red_black", "chebyshev"}));
  command_line.add_option("--threads", options.threads, "Threads of each rank");
  command_line.add_option("--pairs", options.pairs, "Pairs of frames in each run");
  command_line.add_option("--runs", options.runs, "Runs of each variant");
  command_line.add_flag("--no-header", options.no_header, "Leave out the line with the names of the columns");
  if (const std::string help = bench::parse_arguments(command_line, argc, argv); !help.empty()) {
    session.print(help);
    return app::ExitStatus::done;
  }
  session.start_kokkos(options.threads);
  if (!options.no_header) session.print("size,ends,solver,ranks,threads,variant,median_ms,least_ms,turns\n");
  for (const std::string& size : options.sizes)
    for (const std::string& ends : options.ends) measure(session, options, bench::parse_size(size), ends);
  return app::ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) { return app::run_program(argc, argv, "tessera-bench-flow", run); }
