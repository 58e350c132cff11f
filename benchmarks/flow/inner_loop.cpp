// SPDX-License-Identifier: BSD-3-Clause
// This program measures the turns of the solver of the optical flow alone, one by one and several on a tile
// while it is in cache, beside a copy of as many bytes by the same threads. Prints CSV.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <functional>
#include <utility>

#include "apps/flow/pipeline.hpp"
#include "command_line.hpp"
#include "image_size.hpp"
#include "tessera/app/session.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/view/block.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace {

using namespace tessera;
using bench::Size;

struct Options {
  std::vector<std::string> sizes{"1920x1080", "4096x2160"};
  std::vector<std::string> solvers{"jacobi", "chebyshev"};
  int threads = 2;
  int turns = 48;
  int rounds = 7;
  int turns_per_tile = 4;
  std::vector<std::int64_t> tile;
  std::vector<std::int64_t> tile_of_rounds{2048, 24};
  bool processor_time = false;
  bool no_header = false;
};

/// A clock of milliseconds: the time that passes, or the processor time of all threads of this process.
class Clock {
 public:
  explicit Clock(bool is_of_processor) : id_(is_of_processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC) {}

  double now() const {
    timespec time{};
    clock_gettime(id_, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  }

 private:
  clockid_t id_;
};

/// Arrays of floats, as many as a turn of a solver reads and writes, laid out and touched as those of a plan.
/// A turn reads `Read` arrays and writes two.
template <std::size_t Read>
class Streams {
 public:
  explicit Streams(Size size) : size_(size) {
    for (ArrayReference& array : arrays_) {
      blocks_.emplace_back("stream", std::int64_t{sizeof(float)},
                           Box{{-1, size.width + 1}, {-1, size.height + 1}}, 0);
      array = blocks_.back().reference();
    }
  }

  static constexpr std::size_t count = Read + 2;
  double bytes() const { return static_cast<double>(count * sizeof(float)) * size_.width * size_.height; }

  /// Copies one half of the bytes to the other half.
  void copy() const {
    over_rows([this](std::int64_t y) {
      for (std::size_t k = 0; k < count / 2; ++k) copy_row(row(k, y), row(count / 2 + k, y), size_.width);
      float* const last = row(count - 1, y);
      if (count % 2 != 0) copy_row(last, last + size_.width / 2, size_.width / 2);
    });
  }

  /// Writes sums of what it reads. A part of it is what the call before has written.
  void add() {
    over_rows([this](std::int64_t y) { add_row(y, std::make_index_sequence<Read / 2>()); });
    std::rotate(arrays_.begin(), arrays_.end() - 2, arrays_.end());
  }

 private:
  template <class Row>
  void over_rows(const Row& of) const {
    for_each_index(HostExecutionSpace(), HostMode::kernels, "rows", size_.height, of);
  }
  float* row(std::size_t array, std::int64_t y) const {
    return &Accessor<float, 2>(arrays_[array])(Coordinate(0), Coordinate(static_cast<int>(y)));
  }
  static void copy_row(const float* KOKKOS_RESTRICT from, float* KOKKOS_RESTRICT to, int width) {
    detail::call_flat_for_processor([=] {
      for (int x = 0; x < width; ++x) to[x] = from[x];
    });
  }
  template <std::size_t... K>
  void add_row(std::int64_t y, std::index_sequence<K...>) const {
    const std::array<const float*, Read> from = rows_read(y, std::make_index_sequence<Read>());
    float *const first = row(Read, y), *const second = row(Read + 1, y);
    const int width = size_.width;
    detail::call_flat_for_processor([=] {
      TESSERA_VECTORISED
      for (int x = 0; x < width; ++x) {
        first[x] = (from[2 * K][x] + ...) + from[Read - 1][x];
        second[x] = (from[2 * K + 1][x] + ...);
      }
    });
  }
  template <std::size_t... K>
  std::array<const float*, Read> rows_read(std::int64_t y, std::index_sequence<K...>) const {
    return {row(K, y)...};
  }

  Size size_;
  std::vector<Block<>> blocks_;
  std::array<ArrayReference, count> arrays_;
};

/// A frame of a texture that has moved by some pixels.
class Frame final : public BlockSource {
 public:
  explicit Frame(double shift) : shift_(shift) {}
  void read(const HostBlock& block) override {
    for (std::int64_t y = block.box[1].begin; y < block.box[1].end; ++y)
      for (std::int64_t x = block.box[0].begin; x < block.box[0].end; ++x) {
        const double a = static_cast<double>(x) - shift_, b = static_cast<double>(y) + shift_ / 2;
        const auto offset =
            (x - block.box[0].begin) * block.strides[0] + (y - block.box[1].begin) * block.strides[1];
        block.data[offset] =
            static_cast<std::byte>(127 + 50 * std::sin(0.21 * a + 0.05 * b) +
                                   40 * std::cos(0.17 * b - 0.08 * a) + 30 * std::sin(0.031 * a - 0.043 * b));
      }
  }

 private:
  double shift_;
};

/// Turns of a solver at one level, with a schedule of the loop.
class Loop {
 public:
  Loop(const app::Session& session, Clock clock, Size size, flow::Settings settings, const TileSize& tile,
       int turns_per_tile)
      : clock_(clock),
        turns_(static_cast<double>(settings.turns)),
        rounds_(rounds_of(size, settings, tile, turns_per_tile)),
        instance_(make_instance(session)) {}

  /// Returns the milliseconds of a turn.
  double run() {
    Frame first(0), second(0.8);
    Bindings bindings{{{"input", &first}, {"frame_1", &second}}, {}};
    double began = 0, time = 0;
    const auto is_solver = [&](const LoopProgress& progress) {
      return progress.loop >= 0 &&
             rounds_.pipeline.loops()[static_cast<std::size_t>(progress.loop)].name.starts_with("solve");
    };
    bindings.before_turn = [&](const LoopProgress& progress) {
      if (is_solver(progress) && progress.turns == 0) began = clock_.now();
    };
    bindings.after_loop = [&](const LoopProgress& progress) {
      if (is_solver(progress)) time = (clock_.now() - began) / turns_;
    };
    instance_.run(bindings);
    return time;
  }

 private:
  static Rounds rounds_of(Size size, flow::Settings settings, const TileSize& tile, int turns_per_tile) {
    if (turns_per_tile > 1) settings.levels_in_tiles = {0};
    const Pipeline pipeline =
        flow::make_pipeline({{0, size.width}, {0, size.height}}, ElementType::uint8, settings);
    Schedule schedule;
    schedule.grid = {{1, 0}};
    schedule.stages["next_u_0"].tile = tile;
    LoopSchedule& loop = schedule.loops["solve_0"];
    loop.turns_per_exchange = loop.turns_per_tile = loop.turns_per_test = turns_per_tile;
    return in_rounds(pipeline, schedule);
  }
  PlanInstance make_instance(const app::Session& session) const {
    Target target;
    target.threads = session.threads();
    target.cache_bytes = cache_to_write_past(session.threads());
    const Plan plan =
        make_plan(rounds_.pipeline, rounds_.schedule, target, session.rank_count(), session.rank());
    return {rounds_.pipeline, plan, session.communicator()};
  }

  Clock clock_;
  double turns_;
  Rounds rounds_;
  PlanInstance instance_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Variant {
  std::string name;
  std::function<double()> run;
  std::vector<double> times = {}, of_copy = {}, of_streams = {};
};

/// Returns a function that measures the milliseconds of a call, over some calls.
std::function<double()> timed(Clock clock, const std::function<void()>& call) {
  return [clock, call] {
    constexpr int calls = 12;
    const double began = clock.now();
    for (int i = 0; i < calls; ++i) call();
    return (clock.now() - began) / calls;
  };
}

/// Runs all variants in turn, and prints a line for each of them.
template <std::size_t Read>
void measure(const app::Session& session, const Options& options, Size size, const std::string& solver) {
  flow::Settings settings{
      .levels = 1, .warps = 1, .warp_tolerance = 0, .turns = options.turns, .tolerance = 0};
  settings.solver = solver == "jacobi" ? flow::Solver::jacobi : flow::Solver::chebyshev;
  const Clock clock(options.processor_time);
  Streams<Read> streams(size);
  Loop single(session, clock, size, settings, options.tile, 1);
  Loop together(session, clock, size, settings, options.tile_of_rounds, options.turns_per_tile);
  std::vector<Variant> variants{{"copy", timed(clock, [&] { streams.copy(); })},
                                {"streams", timed(clock, [&] { streams.add(); })},
                                {"single", [&] { return single.run(); }},
                                {"in tiles", [&] { return together.run(); }}};
  for (const Variant& variant : variants) variant.run();
  for (int round = 0; round < options.rounds; ++round)
    for (Variant& variant : variants) {
      MPI_Barrier(session.communicator());
      variant.times.push_back(variant.run());
    }
  for (Variant& variant : variants)
    for (std::size_t round = 0; round < variant.times.size(); ++round) {
      variant.of_copy.push_back(variants[0].times[round] / variant.times[round]);
      variant.of_streams.push_back(variants[1].times[round] / variant.times[round]);
    }
  for (const Variant& variant : variants)
    session.print(fmt::format("{},{},{},{},{},{:.1f},{:.3f},{:.3f},{:.3f},{:.3f}\n", size.text(), solver,
                              session.rank_count(), options.threads, variant.name, streams.bytes() * 1e-6,
                              median(variant.times), *std::ranges::min_element(variant.times),
                              median(variant.of_copy), median(variant.of_streams)));
}

app::ExitStatus run(app::Session& session, int argc, char** argv) {
  CLI::App command_line("Turns of the solvers of an optical flow beside a copy of as many bytes, as CSV.",
                        "tessera-bench-flow-inner-loop");
  Options options;
  command_line.add_option("--sizes", options.sizes, "Sizes of the frames, as WxH")->delimiter(',');
  command_line.add_option("--solvers", options.solvers, "jacobi, chebyshev")
      ->delimiter(',')
      ->check(CLI::IsMember({"jacobi", "chebyshev"}));
  command_line.add_option("--threads", options.threads, "Threads of each rank");
  command_line.add_option("--turns", options.turns, "Turns of each run");
  command_line.add_option("--rounds", options.rounds, "Runs of each variant");
  command_line.add_option("--tile", options.tile, "The tile of turns one by one, as W,H")->delimiter(',');
  command_line.add_option("--tile-of-rounds", options.tile_of_rounds, "The tile of several turns")
      ->delimiter(',');
  command_line.add_option("--turns-per-tile", options.turns_per_tile, "Turns of a tile while it is in cache");
  command_line.add_flag("--processor-time", options.processor_time,
                        "Print the processor time of all threads of a rank, waiting included, instead of the "
                        "time that passes: for one thread beside other programs");
  command_line.add_flag("--no-header", options.no_header, "Leave out the line with the names of the columns");
  if (const std::string help = bench::parse_arguments(command_line, argc, argv); !help.empty()) {
    session.print(help);
    return app::ExitStatus::done;
  }
  session.start_kokkos(options.threads);
  if (!options.no_header)
    session.print(
        "size,solver,ranks,threads,variant,megabytes,median_ms,least_ms,share_of_copy,share_of_streams\n");
  for (const std::string& size : options.sizes)
    for (const std::string& solver : options.solvers)
      if (solver == "jacobi")
        measure<5>(session, options, bench::parse_size(size), solver);
      else
        measure<7>(session, options, bench::parse_size(size), solver);
  return app::ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) { return app::run_program(argc, argv, "tessera-bench-flow-inner-loop", run); }
