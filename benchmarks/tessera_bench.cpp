// SPDX-License-Identifier: BSD-3-Clause
// Times Tessera's pipelines in memory, as the Halide and OpenCV peers are timed, and prints their CSV.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "copy.hpp"
#include "image_size.hpp"
#include "pipelines/case_schedule.hpp"
#include "pipelines/pipeline_run.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/view/machine.hpp"
#include "timing.hpp"

namespace {

using bench::PipelineCase;
using bench::Size;
using tessera::app::ExitStatus;
using tessera::app::Session;

/// All benchmarks of images, and that of points.
const std::vector<bench::Benchmark>& all_benchmarks() {
  static const std::vector<bench::Benchmark> benchmarks = [] {
    std::vector<bench::Benchmark> all = bench::all_benchmarks();
    all.push_back({"kmeans", bench::kmeans_cases});
    return all;
  }();
  return benchmarks;
}

struct Options {
  int threads = 0;
  std::vector<std::string> sizes{"4096x4096"};
  std::vector<std::string> only;
  std::string schedule = "default";
  std::string decks = tessera::deck::shipped_decks();
  std::vector<std::string> overrides;
  std::string dump;
  /// The number of timed runs; 0 if it follows from the time that a run takes.
  int repetitions = 0;
  bool no_header = false;
  /// The text of --help, when it is asked for.
  std::string help;
};

Options parse(int argc, char** argv) {
  Options options;
  std::string names = "copy";
  for (const bench::Benchmark& benchmark : all_benchmarks()) names.append(", ").append(benchmark.name);
  CLI::App command_line("Times Tessera's pipelines; start it with mpiexec for several ranks.",
                        "tessera-bench");
  command_line.add_option("--threads", options.threads, "Threads per rank")
      ->check(CLI::Range(1, tessera::most_host_threads));
  command_line.add_option("--sizes", options.sizes, "Sizes, WxH,...")->delimiter(',');
  command_line.add_option("--only", options.only, "Benchmarks, of: " + names)->delimiter(',');
  command_line.add_option("--schedule", options.schedule, "The deck of each application");
  command_line.add_option("--decks", options.decks, "The folder of the applications' decks");
  command_line.add_option("--set", options.overrides, "Keys of the schedule, key=value");
  command_line.add_option("--dump", options.dump,
                          "Folder for the results, BENCH.TYPE.out.tessera.bin; nothing is timed");
  command_line
      .add_option("--repetitions", options.repetitions,
                  "Timed runs, whatever they take; without it, at least 15 and 0.3 s of them")
      ->check(CLI::Range(3, 1000000));
  command_line.add_flag("--no-header", options.no_header, "No line of column names");
  options.help = bench::parse_arguments(command_line, argc, argv);
  return options;
}

void print(const Session& session, const char* benchmark, const char* type, Size size,
           const bench::Timing& timing, double bytes, std::int64_t peak, double mpi_share) {
  if (session.rank() != 0) return;
  fmt::print("tessera,{},{},{},{},{},{:.4f},{:.4f},{},{:.2f},{:.0f},{:.1f},{:.1f},{:.4f},{:.4f}\n", benchmark,
             size.width, size.height, type, session.threads(), timing.minimum, timing.median,
             session.rank_count(), bytes / timing.median / 1e6, bytes, static_cast<double>(peak) / 1048576,
             100 * mpi_share, timing.percentile_20, timing.percentile_80);
  std::fflush(stdout);
}

void run_case(Session& session, const Options& options, const PipelineCase& the_case, Size size) {
  bench::PipelineRun pipeline(
      session, the_case, bench::schedule_of(the_case, options.decks, options.schedule, options.overrides));
  if (!options.dump.empty()) {
    pipeline.run();
    return pipeline.dump(
        fmt::format("{}/{}.{}.out.tessera.bin", options.dump, the_case.benchmark, the_case.type));
  }
  auto timing =
      bench::time_together(session.communicator(), options.repetitions, [&] { pipeline.run(); }).front();
  for (double* time : {&timing.minimum, &timing.median, &timing.percentile_20, &timing.percentile_80})
    *time /= the_case.turns;
  const std::int64_t peak = pipeline.peak_bytes();
  print(session, the_case.benchmark.c_str(), the_case.type.c_str(), size, timing, the_case.bytes(), peak,
        pipeline.mpi_share());
}

template <class T>
void run_copy(Session& session, const Options& options, Size size) {
  bench::Copy<T> copy(session, size);
  const auto timing =
      bench::time_together(session.communicator(), options.repetitions, [&] { copy.run(); }).front();
  print(session, "copy", bench::short_name<T>(), size, timing, 2.0 * bench::box_of(size).size() * sizeof(T),
        copy.bytes(), 0);
}

bool wanted(const Options& options, const std::string& name) {
  // The default sizes are those of images.
  if (options.only.empty()) return name != "kmeans";
  return std::find(options.only.begin(), options.only.end(), name) != options.only.end();
}

void check_names(const Options& options) {
  for (const std::string& name : options.only) {
    const auto& all = all_benchmarks();
    const auto is_named = [&](const bench::Benchmark& benchmark) { return benchmark.name == name; };
    // The peers have some more: of those nothing is printed.
    if (name.empty() ||
        (name != "copy" && name != "stream" && std::none_of(all.begin(), all.end(), is_named)))
      throw tessera::InputError(fmt::format("--only: there is no benchmark '{}': --help lists them", name));
  }
}

ExitStatus run(Session& session, int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.help.empty()) {
    if (session.rank() == 0) fmt::print("{}", options.help);
    return ExitStatus::done;
  }
  check_names(options);
  std::vector<Size> sizes;
  for (const std::string& text : options.sizes) sizes.push_back(bench::parse_size(text));
  session.start_kokkos(options.threads);
  if (!options.no_header && options.dump.empty() && session.rank() == 0)
    fmt::print(
        "peer,benchmark,width,height,dtype,threads,min_ms,median_ms,ranks,gb_s,bytes,peak_mib,mpi_percent,"
        "p20_ms,p80_ms\n");
  for (Size size : sizes) {
    for (const bench::Benchmark& benchmark : all_benchmarks())
      if (wanted(options, benchmark.name))
        for (const PipelineCase& the_case : benchmark.cases(size)) run_case(session, options, the_case, size);
    if (!wanted(options, "copy") || !options.dump.empty()) continue;
    run_copy<std::uint16_t>(session, options, size);
    run_copy<float>(session, options, size);
  }
  return ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) { return tessera::app::run_program(argc, argv, "tessera-bench", run); }
