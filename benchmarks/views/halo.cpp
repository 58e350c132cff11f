// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of a large array: rows, which travel in place, and columns, which are packed.
#include "tessera/view/halo_exchange.hpp"
#include "views/column_swap.hpp"
#include "views/contest.hpp"
#include "views/raw_messages.hpp"

namespace bench {
namespace {

using namespace tessera;

constexpr std::int64_t side = 4096;
using View = DistributedView<float, 2>;

View make_view(MPI_Comm communicator, const ProcessorGrid& grid, std::int64_t depth) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const Box box{{0, side}, {0, side}};
  View view("array", BlockDistribution(box, box, grid), rank, Halo(depth));
  const Kokkos::View<std::byte*, MemorySpace> memory = view.block().memory();
  Kokkos::deep_copy(memory, std::byte{});
  return view;
}

void report_memory(benchmark::State& state, const View& view, const HaloExchange& exchange) {
  const auto points = static_cast<double>(view.required().size());
  state.counters["view_bytes_per_needed"] =
      static_cast<double>(view.block().bytes()) / (points * sizeof(float));
  state.counters["buffer_bytes"] = static_cast<double>(exchange.buffer_bytes());
}

void rows(benchmark::State& state, MPI_Comm communicator) {
  const View view = make_view(communicator, {2, {1, 2}}, state.range(0));
  HaloExchange exchange(communicator, view);
  RawMessages raw(communicator, static_cast<std::size_t>(side * state.range(0)) * sizeof(float));
  const Trial trial{communicator, 50};
  compete(state, trial, [&] { exchange.run(); }, {{"contiguous buffers", [&] { raw.run(); }}});
  report_memory(state, view, exchange);
}

template <int Depth>
void columns(benchmark::State& state, MPI_Comm communicator) {
  const View view = make_view(communicator, {2, {2, 1}}, Depth);
  HaloExchange exchange(communicator, view);
  ColumnSwap<Depth> swap(communicator, view);
  const Trial trial{communicator, 1, true};
  compete(state, trial, [&] { exchange.run(); },
          {{"loops", [&] { swap.with_loops(); }},
           {"memcpy", [&] { swap.with_memcpy(); }},
           {"MPI_Type_vector", [&] { swap.with_vector_type(); }}});
  report_memory(state, view, exchange);
}

/// Shared windows against Tessera's own messages, with columns, which have to be packed.
void windows(benchmark::State& state, MPI_Comm communicator) {
  const View view = make_view(communicator, {2, {2, 1}}, state.range(0));
  HaloExchange messages(communicator, view);
  Transport transport;
  transport.shared_windows = true;
  HaloExchange shared(transport, communicator, view);
  const Trial trial{communicator, 20};
  compete(state, trial, [&] { shared.run(); }, {{"messages", [&] { messages.run(); }}});
}

}  // namespace

void register_halo(MPI_Comm communicator) {
  const auto settle = [](benchmark::internal::Benchmark* registered, int depth) {
    registered->ArgName("depth")->Arg(depth)->Iterations(repetitions)->UseManualTime();
    registered->Unit(benchmark::kMicrosecond);
  };
  for (const int depth : {1, 2, 8})
    settle(benchmark::RegisterBenchmark("halo/rows",
                                        [=](benchmark::State& state) { rows(state, communicator); }),
           depth);
  const auto add_columns = [&]<int Depth>(std::integral_constant<int, Depth>) {
    settle(benchmark::RegisterBenchmark(
               "halo/columns/cold", [=](benchmark::State& state) { columns<Depth>(state, communicator); }),
           Depth);
  };
  add_columns(std::integral_constant<int, 1>{});
  add_columns(std::integral_constant<int, 2>{});
  add_columns(std::integral_constant<int, 8>{});
  for (const int depth : {1, 2, 8})
    settle(benchmark::RegisterBenchmark("windows/columns",
                                        [=](benchmark::State& state) { windows(state, communicator); }),
           depth);
}

}  // namespace bench
