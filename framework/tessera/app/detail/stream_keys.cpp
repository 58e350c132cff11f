// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/stream_keys.hpp"

#include <fmt/format.h>

#include "tessera/app/detail/series_keys.hpp"

namespace tessera::app {

void check_stream_keys(const PipelineApplication& application, const deck::Deck& deck) {
  const auto refuse = [&](const std::string& key, const std::string& message) {
    if (deck.schema().find(key) != nullptr && deck.is_set(key)) deck.fail(key, message);
  };
  refuse("input.video", "videos are not divided into tasks: write program.allocation=whole");
  refuse("program.profile",
         fmt::format("tasks are measured with one image: give it by {}", application.input_key));
  for (const std::string& key : keys_of_graph(application))
    refuse(key, "it is about series that are not divided: leave it out, or write program.allocation=whole");
}

int stream_window(const deck::Deck& deck) {
  constexpr int usual_window = 4;
  return deck.is_set("graph.window") ? static_cast<int>(deck.get<std::int64_t>("graph.window"))
                                     : usual_window;
}

}  // namespace tessera::app
