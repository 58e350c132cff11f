// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/written_files.hpp"

#include <fmt/format.h>

#include "tessera/app/detail/launch.hpp"
#include "tessera/deck/deck.hpp"

namespace tessera::app {

WrittenFiles::WrittenFiles(const RunSetup& setup, const LoopHistory& history, int threads)
    : outputs(setup.session.communicator(), setup.application, setup.deck, setup.inputs, *setup.pipeline,
              setup.result(), history, setup.deck_files, threads),
      records(setup.session.communicator(), setup.options, setup.deck.text_of("output.history"),
              joined(outputs.paths(), setup.read_files())) {}

std::vector<std::string> WrittenFiles::paths() const { return joined(outputs.paths(), records.paths()); }

void check_comparison(const RunSetup& setup, const Plan& plan) {
  const deck::Deck& deck = setup.deck;
  const Algorithm& pipeline = *setup.pipeline;
  if (setup.inputs.image() == nullptr || !deck.is_set("output.comparison")) return;
  if (band_of(plan) != nullptr)
    deck.fail("output.comparison",
              "nothing keeps the middle of an image that is computed in bands: leave it out");
  for (const LoopDeclaration& loop : pipeline.loops())
    for (const auto& feed : loop.feeds)
      if (pipeline[feed.to].is_input() && pipeline[feed.to].name == "input")
        deck.fail("output.comparison",
                  fmt::format("the loop '{}' changes the input, and nothing is left to compare the result "
                              "with: leave it out",
                              loop.name));
}

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
