// SPDX-License-Identifier: BSD-3-Clause
#include "translations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

namespace stitch {
namespace {

using tessera::graph::Lease, tessera::graph::Out, tessera::graph::Place;

/// What a tile needs until its last pair is done: its pixels, which are compared, and its transform.
template <class T>
struct Tile {
  explicit Tile(Extent extent) : pixels(extent.pixels()), transform(extent.frequencies()) {}
  std::vector<std::uint16_t> pixels;
  Aligned<std::complex<T>> transform;
};

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

struct Result {
  int pair = 0;
  Translation translation;
};

/// Computes transforms. Each worker has pixels of its own that FFTW can read.
template <class T>
class Transform {
 public:
  explicit Transform(std::shared_ptr<const Fourier<T>> fourier)
      : fourier_(std::move(fourier)), pixels_(fourier_->extent().pixels()) {}
  Transform(const Transform& other) : Transform(other.fourier_) {}

  TileItem<T> operator()(TileItem<T> item) {
    // Pixels below 1 keep squares of products of transforms in the range of float, and are exact.
    constexpr T scale = T(1) / T(65536);
    T* const to = pixels_.data();
    const std::uint16_t* const from = item.data->pixels.data();
    const std::size_t count = pixels_.size();
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(from[i]) * scale;
    fourier_->forward(pixels_, item.data->transform);
    return item;
  }

 private:
  std::shared_ptr<const Fourier<T>> fourier_;
  Aligned<T> pixels_;
};

/// Finds pairs of tiles that both have their transform, and keeps each tile until its last pair.
template <class T>
class Match {
 public:
  Match(const Grid& grid, const std::vector<Pair>& pairs)
      : pairs_(&pairs),
        pairs_of_tile_(static_cast<std::size_t>(grid.size())),
        kept_(pairs_of_tile_.size()),
        left_(pair_counts(grid, pairs)) {
    for (std::size_t pair = 0; pair < pairs.size(); ++pair)
      for (const int tile : {pairs[pair].first, pairs[pair].second})
        pairs_of_tile_[index(tile)].push_back(static_cast<int>(pair));
  }

  void operator()(const TileItem<T>& item, Out<PairItem<T>>& ready) {
    kept_[index(item.tile)] = item.data;
    for (const int number : pairs_of_tile_[index(item.tile)]) {
      const Pair& pair = (*pairs_)[index(number)];
      Lease<Tile<T>>&first = kept_[index(pair.first)], &second = kept_[index(pair.second)];
      if (!first || !second) continue;
      ready({number, first, second});
      for (const int tile : {pair.first, pair.second})
        if (--left_[index(tile)] == 0) kept_[index(tile)] = {};
    }
  }

 private:
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  const std::vector<Pair>* pairs_;
  std::vector<std::vector<int>> pairs_of_tile_;
  std::vector<Lease<Tile<T>>> kept_;
  std::vector<int> left_;
};

/// Finds the translation of a pair. Each worker has memory of its own for the spectrum and its inverse.
template <class T>
class Align {
 public:
  Align(std::shared_ptr<const Fourier<T>> fourier, const std::vector<Pair>& pairs,
        const TranslationOptions& options)
      : fourier_(std::move(fourier)),
        pairs_(&pairs),
        options_(options),
        spectrum_(fourier_->extent().frequencies()),
        surface_(fourier_->extent().pixels()) {}
  Align(const Align& other) : Align(other.fourier_, *other.pairs_, other.options_) {}

  Result operator()(const PairItem<T>& item) {
    cross_power<T>(item.first->transform.all(), item.second->transform.all(), spectrum_.all());
    fourier_->backward(spectrum_, surface_);
    return {item.pair, best(item)};
  }

 private:
  /// The second tile shows at x what the first one shows at x plus the shift, so that the inverse of the
  /// spectrum has its peak at the shift.
  Translation best(const PairItem<T>& item) const {
    const Extent extent = fourier_->extent();
    const Pixels first{extent, item.first->pixels}, second{extent, item.second->pixels};
    const Direction direction = (*pairs_)[static_cast<std::size_t>(item.pair)].direction;
    Translation best;
    std::vector<Shift> tried;
    // Lighting moves the greatest correlation by a pixel: of peaks side by side the highest one tells the shift.
    const auto is_tried = [&](Shift shift) {
      return std::ranges::any_of(tried, [&](Shift other) {
        return std::abs(other.x - shift.x) <= 2 && std::abs(other.y - shift.y) <= 2;
      });
    };
    for (const std::size_t place : highest<T>(surface_.all(), options_.peaks))
      for (const Shift shift : readings(place, extent)) {
        if (!is_possible(shift, direction, extent, options_.overlap) || is_tried(shift)) continue;
        tried.push_back(shift);
        const double found = correlation(first, second, shift);
        if (found > best.correlation) best = {.shift = shift, .correlation = found, .peak = peak_at(place)};
      }
    if (best.correlation == no_correlation) return best;
    best.evidence = evidence(first, second, best.shift);
    // A peak that rises so far above the noise of the surface, whose deviation is 1, is not a pixel off.
    constexpr double little = 3, plenty = 25;
    if (best.evidence < little || best.peak * std::sqrt(static_cast<double>(extent.pixels())) > plenty)
      return best;
    best.shift = refined(first, second, best.shift);
    best.correlation = correlation(first, second, best.shift);
    best.evidence = evidence(first, second, best.shift);
    return best;
  }

  double peak_at(std::size_t place) const {
    return static_cast<double>(surface_.data()[place]) / static_cast<double>(surface_.size());
  }

  std::shared_ptr<const Fourier<T>> fourier_;
  const std::vector<Pair>* pairs_;
  TranslationOptions options_;
  Aligned<std::complex<T>> spectrum_;
  Aligned<T> surface_;
};

}  // namespace

bool is_possible(Shift shift, Direction direction, Extent extent, double overlap) {
  const bool is_right = direction == Direction::right;
  const int along = is_right ? shift.x : shift.y, across = is_right ? shift.y : shift.x;
  const int side = is_right ? extent.width : extent.height, other = is_right ? extent.height : extent.width;
  const double common = static_cast<double>(side - along);
  return along > 0 && common >= std::max(1.0, overlap / 4 * side) &&
         common <= std::max(0.75, (1 + overlap) / 2) * side && 2 * std::abs(across) <= other;
}

Translations::Translations(const TileReader& reader, Band band, const TranslationOptions& options)
    : reader_(reader),
      options_(options),
      pairs_(pairs_of(reader.grid(), band)),
      tiles_(tiles_in_order(reader.grid(), band, pairs_, options.traversal)),
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

void Translations::add_tasks(tessera::graph::Graph& graph) {
  options_.in_double ? add<double>(graph) : add<float>(graph);
}

template <class T>
void Translations::add(tessera::graph::Graph& graph) {
  using tessera::graph::Order;
  const Extent extent = reader_.extent();
  const auto fourier = std::make_shared<const Fourier<T>>(extent);
  const tessera::graph::Pool<Tile<T>> transforms(graph, "transforms",
                                                 {.count = pool_size(), .bytes = bytes_of_tile()},
                                                 [extent] { return std::make_shared<Tile<T>>(extent); });
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
      [this, extent](TileItem<T> item) {
        reader_.read(item.tile, options_.channel, {0, extent.height}, item.data->pixels);
        return item;
      },
      tiles);
  const auto transformed = graph.task("transform", {}, Transform<T>(fourier), read);
  const auto ready = graph.keeper<PairItem<T>>("pair", {.order = Order::arrival},
                                               Match<T>(reader_.grid(), pairs_), transformed);
  const auto aligned = graph.task("align", {}, Align<T>(fourier, pairs_, options_), ready);
  graph.sink(
      "keep", {},
      [this](const Result& result) { results_[static_cast<std::size_t>(result.pair)] = result.translation; },
      aligned);
}

}  // namespace stitch
