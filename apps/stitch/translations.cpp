// SPDX-License-Identifier: BSD-3-Clause
#include "translations.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace stitch {
namespace {

using tessera::graph::Lease, tessera::graph::Out, tessera::graph::Place;

template <class T>
struct TileItem {
  int tile = 0;
  Lease<Tile<T>> data;
};

template <class T>
struct PairItem {
  int pair = 0;
  Lease<Tile<T>> first, second;
};

/// Finds pairs of tiles that both have their transform, and keeps each tile until its last pair.
template <class T>
class Match {
 public:
  Match(const Grid& grid, const std::vector<Pair>& pairs)
      : pairs_(&pairs),
        pairs_of_tile_(at(grid.size())),
        kept_(at(grid.size())),
        left_(pair_counts(grid, pairs)) {
    for (std::size_t pair = 0; pair < pairs.size(); ++pair)
      for (const int tile : {pairs[pair].first, pairs[pair].second})
        pairs_of_tile_[at(tile)].push_back(static_cast<int>(pair));
  }

  void operator()(const TileItem<T>& item, Out<PairItem<T>>& ready) {
    kept_[at(item.tile)] = item.data;
    for (const int number : pairs_of_tile_[at(item.tile)]) {
      const auto [first, second, direction] = (*pairs_)[at(number)];
      if (!kept_[at(first)] || !kept_[at(second)]) continue;
      ready({number, kept_[at(first)], kept_[at(second)]});
      for (const int tile : {first, second})
        if (--left_[at(tile)] == 0) kept_[at(tile)] = {};
    }
  }

 private:
  const std::vector<Pair>* pairs_;
  std::vector<std::vector<int>> pairs_of_tile_;
  std::vector<Lease<Tile<T>>> kept_;
  std::vector<int> left_;
};

}  // namespace

Translations::Translations(const TileReader& reader, Band band, const TranslationOptions& options)
    : reader_(reader),
      options_(options),
      pairs_(pairs_of(reader.grid(), band)),
      tiles_(tiles_in_order(reader.grid(), band, pairs_,
                            options.traversal.value_or(shortest_traversal(reader.grid(), band)))),
      most_live_(stitch::most_live(reader.grid(), tiles_, pairs_)),
      results_(pairs_.size()) {}

int Translations::pool_size() const {
  // One more for each further worker lets it transform the next tile while pairs are computed.
  return std::clamp(most_live_ + options_.workers - 1, 1, std::max(1, tile_count()));
}

std::int64_t Translations::bytes_of_tile() const {
  const Extent extent = reader_.extent();
  const std::size_t number = 2 * (options_.in_double ? sizeof(double) : sizeof(float));
  return static_cast<std::int64_t>(extent.pixels() * sizeof(std::uint16_t) + extent.frequencies() * number);
}

std::int64_t Translations::bytes() const {
  // A worker that transforms has the pixels as real numbers, and one that aligns has these and a spectrum.
  const std::int64_t number = options_.in_double ? sizeof(double) : sizeof(float);
  const auto pixels = static_cast<std::int64_t>(reader_.extent().pixels());
  const auto frequencies = static_cast<std::int64_t>(reader_.extent().frequencies());
  return pool_size() * bytes_of_tile() + options_.workers * number * (2 * pixels + 2 * frequencies);
}

void Translations::add_tasks(tessera::graph::Graph& graph) {
  options_.in_double ? add<double>(graph) : add<float>(graph);
}

template <class T>
void Translations::add(tessera::graph::Graph& graph) {
  Aligner<T> aligner(reader_.extent(), options_.peaks, options_.overlap);
  const tessera::graph::Pool<Tile<T>> transforms(
      graph, "transforms", {.count = pool_size(), .bytes = bytes_of_tile()},
      [extent = reader_.extent()] { return std::make_shared<Tile<T>>(extent); });
  // The source takes the memory, so that tiles get it in the order of the traversal.
  const auto tiles = graph.source(
      "tiles", {.rank = tessera::graph::Task::every_rank},
      [this](std::int64_t i, Lease<Tile<T>> data) -> std::optional<TileItem<T>> {
        if (i >= tile_count()) return std::nullopt;
        return TileItem<T>{tiles_[static_cast<std::size_t>(i)], std::move(data)};
      },
      transforms);
  const auto read = graph.task(
      "read", {.on = reader_.needs_one_thread() ? Place::io() : Place::threads()},
      [this](TileItem<T> item) {
        reader_.read(item.tile, options_.channel, item.data->pixels);
        return item;
      },
      tiles);
  const auto transformed = graph.task(
      "transform", {},
      [aligner](TileItem<T> item) mutable {
        aligner.transform(*item.data);
        return item;
      },
      read);
  const auto ready = graph.keeper<PairItem<T>>("pair", {.order = tessera::graph::Order::arrival},
                                               Match<T>(reader_.grid(), pairs_), transformed);
  const auto aligned = graph.task(
      "align", {},
      [this, aligner](const PairItem<T>& item) mutable {
        return std::pair{item.pair,
                         aligner.align(*item.first, *item.second, pairs_[at(item.pair)].direction)};
      },
      ready);
  graph.sink(
      "keep", {}, [this](const auto& one) { results_[at(one.first)] = one.second; }, aligned);
}

}  // namespace stitch
