// SPDX-License-Identifier: BSD-3-Clause
// The same pipelines for Google Benchmark, on one rank, and OpenCV's filters beside them where there are.
#include <benchmark/benchmark.h>

#include <string>

#include "pipelines/case_schedule.hpp"
#include "pipelines/opencv_filters.hpp"
#include "pipelines/pipeline_run.hpp"
#include "tessera/deck/load.hpp"

namespace {

using bench::PipelineCase;
using bench::Size;
using tessera::app::ExitStatus;
using tessera::app::Session;

void time_pipeline(benchmark::State& state, Session& session, const PipelineCase& the_case) {
  bench::PipelineRun pipeline(session, the_case,
                              bench::schedule_of(the_case, tessera::deck::shipped_decks(), "default", {}));
  for (auto _ : state) pipeline.run();
  state.SetBytesProcessed(static_cast<std::int64_t>(the_case.bytes()) * state.iterations());
  state.counters["peak_MiB"] = static_cast<double>(pipeline.peak_bytes()) / 1048576;
}

void add_size(Session& session, Size size) {
  for (const bench::Benchmark& one : bench::all_benchmarks())
    for (const PipelineCase& the_case : one.cases(size)) {
      const std::string name = the_case.benchmark + "/" + the_case.type + "/" + size.text();
      benchmark::RegisterBenchmark(
          name.c_str(),
          [&session, the_case](benchmark::State& state) { time_pipeline(state, session, the_case); })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  for (const bench::OpenCvFilter& filter : bench::opencv_filters(size, session.threads())) {
    const std::string name = filter.name + "/" + filter.type + "/" + size.text() + "/opencv";
    benchmark::RegisterBenchmark(name.c_str(),
                                 [filter](benchmark::State& state) {
                                   for (auto _ : state) filter.run();
                                 })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
}

ExitStatus run(Session& session, int argc, char** argv) {
  if (session.rank_count() != 1)
    throw tessera::InputError("one rank is timed here: tessera-bench times several");
  benchmark::Initialize(&argc, argv);
  if (argc > 1) throw tessera::InputError(std::string("unknown option ") + argv[1] + "; see --help");
  session.start_kokkos(0);
  add_size(session, {1024, 1024});
  add_size(session, {4096, 4096});
  benchmark::RunSpecifiedBenchmarks();
  return ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_program(argc, argv, "tessera-bench-pipelines", run);
}
