// SPDX-License-Identifier: BSD-3-Clause
// Graphs of tasks on synthetic work. Prints CSV with the columns of other programs that do the same work.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "command_line.hpp"
#include "graph/cases.hpp"
#include "image_size.hpp"
#include "tessera/app/session.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

double cpu_milliseconds() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3;
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Options {
  std::vector<int> threads{1};
  std::vector<std::string> sizes;
  std::vector<std::string> only;
  std::string rows;
  int repetitions = 15;
  bool no_header = false;
};

/// Runs a case several times, and prints its line.
void measure(const bench::GraphCase& measured, int threads, int repetitions) {
  std::vector<double> wall, cpu;
  std::string extra = measured.run(threads);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const double cpu_before = cpu_milliseconds();
    const auto began = Clock::now();
    extra = measured.run(threads);
    wall.push_back(milliseconds(Clock::now() - began));
    cpu.push_back(cpu_milliseconds() - cpu_before);
  }
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  const double middle = median(wall);
  fmt::print("{},{},{},{},{},{},{:.4f},{:.4f},{:.1f},{:.2f},{:.0f},{:.4f},{},0,{:.1f},{} {}\n", measured.peer,
             measured.benchmark, measured.size.width, measured.size.height, measured.type, threads,
             *std::ranges::min_element(wall), middle, measured.units / middle * 1e-3,
             measured.bytes / middle * 1e-6, measured.bytes, median(cpu), wall.size(),
             static_cast<double>(used.ru_maxrss) / 1024, extra, measured.derived(middle));
  std::fflush(stdout);
}

tessera::app::ExitStatus run(int argc, char** argv) {
  CLI::App command_line("Graphs of tasks on synthetic work, as CSV.", "tessera-bench-graph");
  Options options;
  command_line.add_option("--threads", options.threads, "Numbers of workers")->delimiter(',');
  command_line.add_option("--sizes", options.sizes, "Sizes, as WxH; of hops, items x tasks")->delimiter(',');
  command_line.add_option("--only", options.only, "Benchmarks: hops, sleeps, stream_sobel")->delimiter(',');
  command_line.add_option("--rows", options.rows, "Only variants whose names begin with this text");
  command_line.add_option("--reps", options.repetitions, "Runs of each case");
  command_line.add_flag("--no-header", options.no_header, "Leave out the line with the names of the columns");
  if (const std::string help = bench::parse_arguments(command_line, argc, argv); !help.empty()) {
    fmt::print("{}", help);
    return tessera::app::ExitStatus::done;
  }
  if (!options.no_header)
    fmt::print(
        "peer,benchmark,width,height,dtype,threads,min_ms,median_ms,mpix_s,gb_s,bytes,cpu_ms,runs,other_cpu,"
        "rss_mib,extra\n");
  for (const bench::GraphBenchmark& benchmark : bench::graph_benchmarks()) {
    if (!options.only.empty() && std::ranges::find(options.only, benchmark.name) == options.only.end())
      continue;
    for (const std::string& size : options.sizes.empty() ? benchmark.sizes : options.sizes)
      for (const bench::GraphCase& measured : benchmark.cases(bench::parse_size(size)))
        for (const int threads : options.threads)
          if (measured.peer.starts_with(options.rows)) measure(measured, threads, options.repetitions);
  }
  return tessera::app::ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_program(argc, argv, "tessera-bench-graph",
                                   [](tessera::app::Session& session, int count, char** values) {
                                     session.start_kokkos(1);
                                     return run(count, values);
                                   });
}
