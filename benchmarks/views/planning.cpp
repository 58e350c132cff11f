// SPDX-License-Identifier: BSD-3-Clause
// What one rank pays to know its messages, for rank counts that only grids on paper have.
#include "tessera/view/distributed_view.hpp"
#include "tessera/view/exchange_lists.hpp"
#include "views/contest.hpp"

namespace bench {
namespace {

using namespace tessera;

/// A cube of `ranks` ranks whose blocks are cubes of `block` points.
BlockDistribution cubes(int dimensions, int ranks, std::int64_t block) {
  Box box;
  ProcessorGrid grid;
  box.dimensions = grid.dimensions = dimensions;
  for (int d = 0; d < dimensions; ++d) {
    grid.size[d] = ranks;
    box[d] = {0, ranks * block};
  }
  return BlockDistribution(box, box, grid);
}

/// A rank with neighbours on all sides, about where `third` thirds of the others come before it.
int inner_rank(const ProcessorGrid& grid, int third) {
  ProcessorGrid::Position position = {};
  for (int d = 0; d < grid.dimensions; ++d)
    position[static_cast<std::size_t>(d)] = 1 + (grid.size[d] - 3) * third / 3;
  return grid.rank(position);
}

/// The lists of four ranks per run.
void plan(benchmark::State& state, MPI_Comm communicator, int dimensions) {
  const BlockDistribution blocks =
      cubes(dimensions, static_cast<int>(state.range(0)), dimensions == 2 ? 64 : 32);
  const Halo halo(1);
  const Need need = halo.need(blocks);
  constexpr int planned = 4;
  std::size_t partners = 0;
  const double microseconds = time_alone(state, {communicator, 50}, [&] {
    for (int third = 0; third < planned; ++third) {
      const int rank = inner_rank(blocks.grid(), third);
      const ExchangeLists lists = exchange_lists(blocks, halo.boundary, rank, blocks.rank_count(), need);
      partners = lists.sends.size();
      benchmark::DoNotOptimize(partners);
    }
  });
  state.counters["dimensions"] = dimensions;
  state.counters["ranks"] = blocks.rank_count();
  state.counters["partners"] = static_cast<double>(partners);
  state.counters["us_per_rank"] = microseconds / planned;
}

}  // namespace

void register_planning(MPI_Comm communicator) {
  const auto add = [&](const char* name, int dimensions, const std::vector<std::int64_t>& sides) {
    auto* registered = benchmark::RegisterBenchmark(
        name, [=](benchmark::State& state) { plan(state, communicator, dimensions); });
    for (const std::int64_t side : sides) registered->Arg(side);
    registered->ArgName("side")->Iterations(repetitions)->UseManualTime()->Unit(benchmark::kMicrosecond);
  };
  add("planning/2d", 2, {10, 32, 100, 316, 1000});
  add("planning/3d", 3, {5, 10, 22, 46, 100});
}

}  // namespace bench
