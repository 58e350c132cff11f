// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of arrays so small that only the cost of an exchange as such shows.
#include <algorithm>

#include "tessera/view/halo_exchange.hpp"
#include "views/contest.hpp"
#include "views/raw_messages.hpp"

namespace bench {
namespace {

using namespace tessera;

constexpr int exchanges = 1000;

/// Raw messages of the same number and bytes, of a program that keeps its requests.
void report(benchmark::State& state, MPI_Comm communicator, HaloExchange& exchange, std::int64_t floats) {
  RawMessages raw(communicator, static_cast<std::size_t>(floats) * sizeof(float));
  const Trial trial{communicator, exchanges};
  const Outcome outcome = compete(state, trial, [&] { exchange.run(); },
                                  {{"persistent requests", [&] { raw.run_persistent(); }}});
  constexpr int partners = 1;
  state.counters["overhead_us_per_partner"] = (outcome.tessera - outcome.baseline) / partners;
}

DistributedView<float, 2> small_view(MPI_Comm communicator, const ProcessorGrid& grid) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const Box box{{0, 64}, {0, 64}};
  return {"array", BlockDistribution(box, box, grid), rank, Halo(1)};
}

/// One float.
void point(benchmark::State& state, MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const Box box{{0, 64}};
  const DistributedView<float, 1> view("array", BlockDistribution(box, box, {1, {2}}), rank, Halo(1));
  HaloExchange exchange(communicator, view);
  report(state, communicator, exchange, 1);
}

/// The edge of 64 x 64 floats.
void edge(benchmark::State& state, MPI_Comm communicator, const ProcessorGrid& grid) {
  const auto view = small_view(communicator, grid);
  HaloExchange exchange(communicator, view);
  report(state, communicator, exchange, 64);
}

/// The edges of four arrays in one message.
void four_edges(benchmark::State& state, MPI_Comm communicator, const ProcessorGrid& grid) {
  const auto a = small_view(communicator, grid), b = small_view(communicator, grid);
  const auto c = small_view(communicator, grid), d = small_view(communicator, grid);
  HaloExchange exchange(communicator, a, b, c, d);
  report(state, communicator, exchange, 4 * 64);
}

}  // namespace

void register_small_messages(MPI_Comm communicator) {
  const auto add = [](const char* name, const auto& run) {
    benchmark::RegisterBenchmark(name, run)
        ->Iterations(repetitions)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  const ProcessorGrid rows{2, {1, 2}}, columns{2, {2, 1}};
  add("small/point", [=](benchmark::State& state) { point(state, communicator); });
  add("small/row", [=](benchmark::State& state) { edge(state, communicator, rows); });
  add("small/column", [=](benchmark::State& state) { edge(state, communicator, columns); });
  add("small/4_rows", [=](benchmark::State& state) { four_edges(state, communicator, rows); });
  add("small/4_columns", [=](benchmark::State& state) { four_edges(state, communicator, columns); });
}

}  // namespace bench
