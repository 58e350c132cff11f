// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/graph_settings.hpp"

#include <fmt/format.h>

namespace tessera::app {

graph::Settings graph_settings(const deck::Deck& deck, const std::vector<std::string>& tasks,
                               const std::vector<std::string>& pools) {
  graph::Settings settings;
  const auto is_given = [&](const std::string& key) {
    return deck.schema().find(key) != nullptr && deck.is_set(key);
  };
  const auto number = [&](const std::string& key) {
    return is_given(key) ? static_cast<int>(deck.get<std::int64_t>(key)) : 0;
  };
  settings.window = number("graph.window");
  for (const std::string& task : tasks) {
    graph::TaskSettings& chosen = settings.tasks[task];
    if (const int workers = number(fmt::format("graph.{}.workers", task)); workers > 0)
      chosen.workers = workers;
    const std::string key = fmt::format("graph.{}.on", task);
    const std::string on = is_given(key) ? deck.text_of(key) : "";
    if (on == "threads") chosen.on = graph::Place::threads();
    if (on == "io") chosen.on = graph::Place::io();
    if (on == "kernels") chosen.on = graph::Place::kernels();
  }
  for (const std::string& pool : pools)
    if (const int count = number(fmt::format("graph.{}.count", pool)); count > 0)
      settings.pools[pool] = count;
  return settings;
}

}  // namespace tessera::app
