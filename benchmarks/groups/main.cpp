// SPDX-License-Identifier: BSD-3-Clause
// This program measures the time of allocations of ranks, compares the schedules of random programs with
// lower bounds, and computes the curves of the stereo program of the paper.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>

#include "command_line.hpp"
#include "groups/random_programs.hpp"
#include "groups/stereo.hpp"
#include "tessera/app/session.hpp"
#include "tessera/group/allocation.hpp"
#include "tessera/group/schedule.hpp"

namespace {

using namespace tessera::group;

/// Returns the milliseconds of processor time of a call, which has one thread: other programs on the machine
/// make them little longer.
double milliseconds_of(const std::function<void()>& call) {
  const std::clock_t began = std::clock();
  call();
  return static_cast<double>(std::clock() - began) * 1e3 / CLOCKS_PER_SEC;
}

struct Options {
  std::vector<std::string> only{"time", "programs", "stereo"};
  int programs = 500;
  int repetitions = 21;
  std::string bounds, csv, plot, gantt;
  bench::StereoModel stereo;
};

AllocationSettings random_settings() {
  AllocationSettings settings;
  settings.communication = bench::random_program_network;
  return settings;
}

/// Prints the time of the whole allocation of 60 tasks to 1024 ranks, for programs of each shape in turn.
void time_allocations(int repetitions) {
  for (int shape = 0; shape < 3; ++shape) {
    std::vector<double> times;
    for (int i = 0; i < std::max(repetitions, 1); ++i) {
      const auto seed = static_cast<std::uint64_t>(i);
      const bench::RandomProgram program =
          bench::random_program(seed, static_cast<bench::ProgramShape>(shape), 60, 1024);
      times.push_back(milliseconds_of([&] { allocate(program.graph, program.ranks, random_settings()); }));
    }
    std::ranges::sort(times);
    fmt::print("60 tasks on 1024 ranks, {}: median {:.1f} ms, worst {:.1f} ms\n",
               bench::program_shape_names[static_cast<std::size_t>(shape)], times[times.size() / 2],
               times.back());
  }
}

void print_ratios(const std::string& name, std::vector<double> ratios) {
  std::ranges::sort(ratios);
  const auto within = std::ranges::upper_bound(ratios, 1.1) - ratios.begin();
  const auto count = static_cast<double>(ratios.size());
  fmt::print("{:<40} {:>4} programs: median {:.3f}, 90 % {:.3f}, worst {:.3f}, within 10 %: {:.1f} %\n", name,
             ratios.size(), ratios[ratios.size() / 2], ratios[ratios.size() * 9 / 10], ratios.back(),
             100 * static_cast<double>(within) / count);
}

/// Returns the bounds in a file, by seed. There are none without a file.
std::vector<double> read_bounds(const std::string& path) {
  std::vector<double> bounds;
  std::ifstream file(path);
  if (!path.empty() && !file)
    throw tessera::InputError(fmt::format("cannot read {}: choose another file", path));
  for (double bound = 0; file >> bound;) bounds.push_back(bound);
  return bounds;
}

/// Prints the makespans of random programs in proportion to bounds that no schedule can be below.
void rate_programs(int programs, const std::vector<double>& bounds) {
  std::map<std::string, std::vector<double>> ratios;
  std::map<std::string, int> winners;
  for (int seed = 0; seed < programs; ++seed) {
    const bench::RandomProgram program = bench::random_program(static_cast<std::uint64_t>(seed));
    const GroupSchedule schedule = allocate(program.graph, program.ranks, random_settings());
    check_schedule(program.graph, bench::random_program_network, schedule);
    const double share = static_cast<double>(program.ranks) / program.graph.size();
    const auto rate = [&](const char* name, double bound) {
      const double ratio = schedule.makespan / bound;
      ratios[fmt::format("{}: all", name)].push_back(ratio);
      ratios[fmt::format("{}: {}", name, bench::program_shape_names[static_cast<std::size_t>(program.shape)])]
          .push_back(ratio);
      ratios[fmt::format("{}: {}", name,
                         share < 1    ? "fewer ranks than tasks"
                         : share < 16 ? "1 to 16 ranks for a task"
                                      : "more ranks for a task")]
          .push_back(ratio);
    };
    rate("max(CP, area)", schedule.lower_bound);
    if (static_cast<std::size_t>(seed) < bounds.size())
      rate("given bound", bounds[static_cast<std::size_t>(seed)]);
    const GroupSchedule stream = allocate_stream(program.graph, program.ranks, bench::random_program_network);
    check_schedule(program.graph, bench::random_program_network, stream);
    ratios["streams: period to its bound"].push_back(stream.period / stream.lower_bound);
    ++winners[schedule.strategy];
  }
  for (const auto& [name, values] : ratios) print_ratios(name, values);
  for (const auto& [strategy, count] : winners)
    fmt::print("best strategy {}: {} programs\n", strategy, count);
}

void save_text(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw tessera::InputError(fmt::format("cannot write {}: choose another file", path));
}

void plot_stereo(const Options& options) {
  const std::vector<bench::Speedups> speedups = bench::stereo_speedups(options.stereo);
  fmt::print("{}", bench::stereo_csv(speedups));
  save_text(options.csv, bench::stereo_csv(speedups));
  save_text(options.plot, bench::stereo_svg(speedups));
  if (options.gantt.empty()) return;
  AllocationSettings settings;
  settings.communication = {options.stereo.network, Travel::between_hosts};
  const TaskGraph program = bench::mixed_program(options.stereo, 512, 64);
  save_text(options.gantt, to_svg(program, allocate(program, 64, settings)));
}

void declare(CLI::App& command_line, Options& options) {
  bench::StereoModel& stereo = options.stereo;
  command_line.add_option("--only", options.only, "Parts: time, programs, stereo")->delimiter(',');
  command_line.add_option("--programs", options.programs, "Number of random programs")
      ->check(CLI::PositiveNumber);
  command_line.add_option("--bounds", options.bounds, "File with lower bounds of the random programs");
  command_line.add_option("--reps", options.repetitions, "Programs of each shape whose allocation is timed");
  command_line.add_option("--csv", options.csv, "File for the speedups of the stereo program");
  command_line.add_option("--plot", options.plot, "File for the plot of these speedups (SVG)");
  command_line.add_option("--gantt", options.gantt,
                          "File for the chart of 512 x 512 pixels on 64 ranks (SVG)");
  command_line.add_option("--clock", stereo.clock_hertz, "Cycles of a processor in a second")
      ->capture_default_str();
  command_line.add_option("--message-start", stereo.network.latency_seconds, "Seconds to start a message")
      ->capture_default_str();
  command_line
      .add_option("--message-byte", stereo.network.seconds_per_byte, "Seconds for each byte of a message")
      ->capture_default_str();
  command_line
      .add_option("--difference-cycles", stereo.difference_cycles, "Cycles for a pixel of a difference image")
      ->capture_default_str();
  command_line.add_option("--error-cycles", stereo.error_cycles, "Cycles for a pixel of an error image")
      ->capture_default_str();
  command_line
      .add_option("--minimum-cycles", stereo.minimum_cycles, "Cycles for a pixel and disparity of the result")
      ->capture_default_str();
  command_line.add_option("--camera-bytes", stereo.camera_bytes, "Bytes of a pixel of a camera")
      ->capture_default_str();
  command_line.add_option("--image-bytes", stereo.image_bytes, "Bytes of a pixel of other images")
      ->capture_default_str();
}

tessera::app::ExitStatus run(int argc, char** argv) {
  CLI::App command_line("Allocation of ranks to the tasks of programs.", "tessera-bench-groups");
  Options options;
  declare(command_line, options);
  bool is_serial = false;
  command_line.add_flag("--without-trees", is_serial, "Broadcast and reduce between groups one by one");
  if (const std::string help = bench::parse_arguments(command_line, argc, argv); !help.empty()) {
    fmt::print("{}", help);
    return tessera::app::ExitStatus::done;
  }
  options.stereo.has_trees = !is_serial;
  const auto is_wanted = [&](const char* part) {
    return std::ranges::find(options.only, part) != options.only.end();
  };
  if (is_wanted("time")) time_allocations(options.repetitions);
  if (is_wanted("programs")) rate_programs(options.programs, read_bounds(options.bounds));
  if (is_wanted("stereo")) plot_stereo(options);
  return tessera::app::ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_program(
      argc, argv, "tessera-bench-groups",
      [](tessera::app::Session&, int count, char** values) { return run(count, values); });
}
