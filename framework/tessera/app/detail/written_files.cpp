// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/written_files.hpp"

#include <fmt/format.h>

namespace tessera::app {

WrittenFiles::WrittenFiles(const RunSetup& setup, const LoopHistory& history, int threads)
    : outputs(setup.session.communicator(), setup.application, setup.deck, setup.inputs, *setup.pipeline,
              setup.result(), history, setup.deck_files, threads),
      records(setup.session.communicator(), setup.options, setup.deck.text_of("output.history"),
              joined(outputs.paths(), setup.read_files())) {}

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

}  // namespace tessera::app
