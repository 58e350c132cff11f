// SPDX-License-Identifier: BSD-3-Clause
#include "searches.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace stitch {

Searches::Searches(const TileReader& reader, int channel, int workers, std::int64_t memory)
    : reader_(reader), channel_(channel), searcher_(reader.extent()), areas_(workers) {
  if (!(reader.place() == tessera::graph::Place::threads())) areas_ = 1;
  if (memory > 0) areas_ = static_cast<int>(std::clamp<std::int64_t>(memory / searcher_.bytes(), 1, areas_));
}

void Searches::set_work(const StageModel& model, std::vector<Pair> pairs) {
  model_ = model;
  pairs_ = std::move(pairs);
  results_.assign(pairs_.size(), {});
}

Translation Searches::search_pair(const Pair& pair, Area& area) const {
  const Extent extent = reader_.extent();
  reader_.read(pair.first, channel_, area.first);
  reader_.read(pair.second, channel_, area.second);
  return searcher_(model_.of(pair.direction), {extent, area.first}, {extent, area.second});
}

void Searches::add_tasks(tessera::graph::Graph& graph) {
  struct Found {
    std::size_t pair;
    Translation translation;
  };
  const tessera::graph::Pool<Area> areas(
      graph, "areas", {.count = areas_, .bytes = searcher_.bytes()}, [pixels = reader_.extent().pixels()] {
        return Area{std::vector<std::uint16_t>(pixels), std::vector<std::uint16_t>(pixels)};
      });
  const auto outliers =
      graph.source("outliers", {.rank = tessera::graph::Task::every_rank}, [this](std::int64_t i) {
        return i < std::ssize(pairs_) ? std::optional(static_cast<std::size_t>(i)) : std::nullopt;
      });
  const auto found = graph.task(
      "search", {.on = reader_.place()},
      [this](std::size_t pair, const tessera::graph::Lease<Area>& area) {
        return Found{pair, search_pair(pairs_[pair], *area)};
      },
      outliers, areas);
  graph.sink(
      "note", {}, [this](const Found& one) { results_[one.pair] = one.translation; }, found);
}

}  // namespace stitch
