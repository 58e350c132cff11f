// SPDX-License-Identifier: BSD-3-Clause
// Benchmarks of views and exchanges against hand-written MPI, on two ranks.
#include <string_view>

#include "tessera/app/session.hpp"
#include "tessera/domain/error.hpp"
#include "views/contest.hpp"

namespace {

using tessera::app::ExitStatus;
using tessera::app::Session;

/// The reporter of ranks other than 0, which prints nothing.
class Silence : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

/// Leaves the options that write files to rank 0.
std::vector<char*> arguments_of_rank(int rank, int argc, char** argv) {
  std::vector<char*> kept;
  for (int i = 0; i < argc; ++i)
    if (rank == 0 || !std::string_view(argv[i]).starts_with("--benchmark_out")) kept.push_back(argv[i]);
  return kept;
}

ExitStatus run(Session& session, int argc, char** argv) {
  if (session.rank_count() != 2) throw tessera::InputError("two ranks are compared: start with mpiexec -n 2");
  std::vector<char*> arguments = arguments_of_rank(session.rank(), argc, argv);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) throw tessera::InputError(std::string("unknown option ") + arguments[1] + "; see --help");
  session.start_kokkos(0);
  bench::register_halo(session.communicator());
  bench::register_small_messages(session.communicator());
  bench::register_redistribution(session.communicator());
  bench::register_planning(session.communicator());
  Silence silence;
  if (session.rank() == 0)
    benchmark::RunSpecifiedBenchmarks();
  else
    benchmark::RunSpecifiedBenchmarks(&silence);
  return ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) { return tessera::app::run_program(argc, argv, "tessera-bench-views", run); }
