// SPDX-License-Identifier: BSD-3-Clause
// This program measures what the ends of loops cost an optical flow: where ranks and threads wait for the
// decision about each turn, where they decide while they compute the next turn, and where several pairs of
// frames are in different turns of a graph. Prints CSV.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "command_line.hpp"
#include "flow/pairs.hpp"
#include "image_size.hpp"
#include "tessera/app/session.hpp"

namespace {

struct Options {
  std::vector<std::string> sizes{"640x480", "1280x720"};
  std::vector<std::string> ends{"paper", "data"};
  std::string solver = "chebyshev";
  int threads = 1;
  int pairs = 4;
  int runs = 5;
  int window = 0;
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

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Runs all variants in turn, and prints a line for each of them.
void measure(const tessera::app::Session& session, const Options& options, bench::Size size,
             const std::string& ends) {
  bench::FlowPairs pairs(session, size, options.pairs, settings_of(options, ends));
  struct Variant {
    std::string name;
    std::function<void()> run;
    std::vector<double> times = {};
  };
  const int window = options.window > 0 ? options.window : 2 * options.threads;
  std::vector<Variant> variants{{"waits", [&] { pairs.by_pipeline(false); }},
                                {"overlaps", [&] { pairs.by_pipeline(true); }},
                                {"graph", [&] { pairs.by_graph(window); }}};
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

tessera::app::ExitStatus run(tessera::app::Session& session, int argc, char** argv) {
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
  command_line.add_option("--window", options.window,
                          "Pairs that are under way on a rank in the graph; without it two for each thread");
  command_line.add_flag("--no-header", options.no_header, "Leave out the line with the names of the columns");
  if (const std::string help = bench::parse_arguments(command_line, argc, argv); !help.empty()) {
    session.print(help);
    return tessera::app::ExitStatus::done;
  }
  session.start_kokkos(options.threads);
  if (!options.no_header) session.print("size,ends,solver,ranks,threads,variant,median_ms,least_ms,turns\n");
  for (const std::string& size : options.sizes)
    for (const std::string& ends : options.ends) measure(session, options, bench::parse_size(size), ends);
  return tessera::app::ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) { return tessera::app::run_program(argc, argv, "tessera-bench-flow", run); }
