// SPDX-License-Identifier: BSD-3-Clause
#include "translations.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace stitch {

Translations::Translations(const TileReader& reader, Band band, const TranslationOptions& options)
    : reader_(reader),
      options_(options),
      pairs_(pairs_of(reader.grid(), band)),
      tiles_(tiles_in_order(reader.grid(), band, options.halo, options.traversal)),
      results_(pairs_.size()) {
  const int first_tile = reader.grid().number({band.begin, 0});
  const auto is_above = [&](const Pair& pair) { return pair.first < first_tile; };
  if (options.halo == Halo::send) halo_size_ = static_cast<int>(std::ranges::count_if(pairs_, is_above));
}

int Translations::pool_size() const {
  // One more for each further worker lets it transform the next tile while pairs are computed.
  const int most = std::max(1, tile_count());
  return options_.transforms.value_or(std::clamp(most_live_ + options_.workers - 1, 1, most));
}

std::int64_t Translations::bytes_of_tile() const {
  const Extent extent = reader_.extent();
  const std::size_t number = 2 * (options_.in_double ? sizeof(double) : sizeof(float));
  return static_cast<std::int64_t>(extent.pixels() * sizeof(std::uint16_t) + extent.frequencies() * number);
}

std::int64_t Translations::bytes() const {
  // A worker that transforms has the pixels as real numbers, and one that aligns has these and a spectrum.
  const std::int64_t number = options_.in_double ? sizeof(double) : sizeof(float);
  const auto values = static_cast<std::int64_t>(reader_.extent().pixels() + reader_.extent().frequencies());
  return (pool_size() + halo_size()) * bytes_of_tile() + 2 * options_.workers * number * values;
}

void Translations::add_tasks(tessera::graph::Graph& graph) {
  options_.in_double ? add<double>(graph) : add<float>(graph);
}

template <class T>
tessera::graph::Flow<Translations::Data<T>> Translations::transformed(tessera::graph::Graph& graph,
                                                                      Aligner<T> aligner) {
  const tessera::graph::Pool<Tile<T>> transforms(
      graph, "transforms", {.count = pool_size(), .bytes = bytes_of_tile()},
      [extent = reader_.extent()] { return std::make_shared<Tile<T>>(extent); });
  // The source takes the memory, so that tiles get it in the order of the traversal.
  const auto tiles = graph.source(
      "tiles", {.rank = tessera::graph::Task::every_rank},
      [this](std::int64_t i, Data<T> tile) {
        tile->number = i < tile_count() ? tiles_[static_cast<std::size_t>(i)] : -1;
        return tile->number < 0 ? std::nullopt : std::optional(tile);
      },
      transforms);
  const auto read = graph.task(
      "read", {.on = reader_.place()},
      [this](Data<T> tile) {
        reader_.read(tile->number, options_.channel, tile->pixels);
        return tile;
      },
      tiles);
  return graph.task(
      "transform", {},
      [aligner](Data<T> tile) mutable {
        aligner.transform(*tile);
        return tile;
      },
      read);
}

template <class T>
void Translations::add(tessera::graph::Graph& graph) {
  Aligner<T> aligner(reader_.extent(), options_.peaks, options_.overlap);
  const auto own = transformed(graph, aligner);
  const auto ranks = [this](const Data<T>& tile) {
    return ranks_that_need(reader_.grid(), options_.ranks, reader_.grid().cell(tile->number).row);
  };
  const auto needed = options_.halo == Halo::send ? graph.send("halo", ranks, own) : own;
  const auto number = [](const Data<T>& tile) { return tile->number; };
  const auto ready = graph.pair("pair", pairing_, number, needed);
  const auto aligned = graph.task(
      "align", {},
      [this, aligner](const tessera::graph::Paired<Data<T>>& tiles) mutable {
        const Direction direction = pairs_[at(tiles.pair)].direction;
        return std::pair(tiles.pair, aligner.align(*tiles.first, *tiles.second, direction));
      },
      ready);
  graph.sink(
      "keep", {}, [this](const auto& found) { results_[at(found.first)] = found.second; }, aligned);
}

}  // namespace stitch
