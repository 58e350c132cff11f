// SPDX-License-Identifier: BSD-3-Clause
#include "searches.hpp"

#include <optional>

namespace stitch {

void Searches::set_work(const StageModel& model, std::vector<Pair> pairs) {
  model_ = model;
  pairs_ = std::move(pairs);
  results_.assign(pairs_.size(), {});
}

Translation Searches::search_pair(const Pair& pair) const {
  const Extent extent = reader_.extent();
  std::vector<std::uint16_t> first(extent.pixels()), second(extent.pixels());
  reader_.read(pair.first, channel_, first);
  reader_.read(pair.second, channel_, second);
  return searcher_(model_.of(pair.direction), {extent, first}, {extent, second});
}

void Searches::add_tasks(tessera::graph::Graph& graph) {
  struct Found {
    std::size_t pair;
    Translation translation;
  };
  const auto outliers =
      graph.source("outliers", {.rank = tessera::graph::Task::every_rank}, [this](std::int64_t i) {
        return i < std::ssize(pairs_) ? std::optional(static_cast<std::size_t>(i)) : std::nullopt;
      });
  const auto found = graph.task(
      "search", {.on = reader_.place()},
      [this](std::size_t pair) {
        return Found{pair, search_pair(pairs_[pair])};
      },
      outliers);
  graph.sink(
      "note", {}, [this](const Found& one) { results_[one.pair] = one.translation; }, found);
}

}  // namespace stitch
