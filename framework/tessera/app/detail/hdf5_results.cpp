// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/hdf5_results.hpp"

#include "tessera/app/detail/version.hpp"
#include "tessera/deck/print.hpp"

namespace tessera::app {

io::Hdf5Storage hdf5_storage(const deck::Deck& deck) {
  io::Hdf5Storage storage;
  storage.chunked = deck.is_set("output.chunks");
  if (storage.chunked)
    for (const auto& points : deck.get<deck::GridValue>("output.chunks").entries)
      storage.chunk.push_back(points.value_or(0));
  if (deck.is_set("output.compression"))
    storage.compression = static_cast<int>(deck.get<std::int64_t>("output.compression"));
  return storage;
}

std::vector<io::FileAttribute> result_attributes(const PipelineApplication& application,
                                                 const deck::Deck& deck, const Algorithm& pipeline,
                                                 const std::string& result, const Plan& plan) {
  const ArrayRegions& regions = plan.stages[static_cast<std::size_t>(pipeline.find(result))];
  return {{"program", application.program},
          {"version", version()},
          {"libraries", libraries_text()},
          {"deck", deck::print(deck)},
          {"ranks", std::int64_t(plan.rank_count)},
          {"threads_per_rank", std::int64_t(plan.target.threads)},
          {"grid", regions.grid.text()}};
}

}  // namespace tessera::app
