// SPDX-License-Identifier: BSD-3-Clause
#include "translations.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <memory>
#include <sstream>

#include "tessera/graph/transfer.hpp"
#include "tessera/spectral/plane_transform.hpp"
#include "tessera/view/collectively.hpp"

namespace stitch {

namespace graph = tessera::graph;
namespace spectral = tessera::spectral;

namespace {

/// A tile until its last pair is done: its number, its pixels and their transform.
template <class T>
struct Tile {
  Tile() = default;
  explicit Tile(Extent extent) : pixels(extent.pixels()), transform(extent.frequencies()) {}
  int number = 0;
  std::vector<std::uint16_t> pixels;
  spectral::Plane<std::complex<T>> transform;
  static auto members(auto& tile) { return std::tie(tile.number, tile.pixels, tile.transform); }
};

/// Transforms tiles and finds the translations of pairs: the phase correlation of C. D. Kuglin and D. C.
/// Hines (1975). Its highest peaks are read in all ways, and the readings are compared by the correlation of
/// what both tiles then show, as J. Chalfoun et al. (MIST, 2017) do. Each copy has memory of its own, for one
/// thread.
template <class T>
class Aligner {
 public:
  Aligner(const TileReader& reader, int peaks)
      : extent_(reader.extent()), peaks_(peaks), files_(reader.files()) {}

  void transform(Tile<T>& tile) {
    // Pixels are scaled to less than 1, which is exact. So the squares of products of transforms stay in the
    // range of float.
    constexpr T scale = T(1) / T(65536);
    surface_.resize(extent_.pixels());
    std::ranges::transform(tile.pixels, surface_.begin(),
                           [](auto pixel) { return static_cast<T>(pixel) * scale; });
    transform_.forward(surface_.data(), tile.transform.data());
  }

  Translation align(const Tile<T>& first, const Tile<T>& second, Direction direction) {
    // The second tile shows at x what the first one shows at x plus the shift, so that the inverse of the
    // spectrum has its peak at the shift.
    spectrum_.resize(extent_.frequencies());
    surface_.resize(extent_.pixels());
    cross_power<T>(first.transform, second.transform, spectrum_);
    transform_.inverse(spectrum_.data(), surface_.data());
    const Pixels a{extent_, first.pixels}, b{extent_, second.pixels};
    Translation best = best_reading(a, b, direction);
    if (best.correlation == no_correlation) return best;
    best.evidence = evidence(a, b, best.shift);
    // With little evidence there is no hill to climb, and a clear peak is not a pixel off. The heights of
    // peaks are in standard deviations of the noise around them.
    constexpr double little = 3, clear = 25;
    if (best.evidence < little || best.peak * std::sqrt(static_cast<double>(extent_.pixels())) > clear)
      return best;
    const Shift hilltop = refined(a, b, best.shift);
    // A pattern that all tiles show lets the climb end at an impossible shift, as tiles are then more alike
    // the more they overlap.
    if (!is_possible(hilltop, direction, extent_, files_)) return best;
    best.shift = hilltop;
    best.correlation = correlation(a, b, best.shift);
    best.evidence = evidence(a, b, best.shift);
    return best;
  }

 private:
  /// Returns the reading of one of the highest peaks with the best correlation. It must be possible.
  Translation best_reading(const Pixels& first, const Pixels& second, Direction direction) const {
    Translation best;
    std::vector<Shift> tried;
    // Lighting moves the greatest correlation by a pixel, so only the highest one of peaks side by side is
    // tried.
    const auto is_tried = [&](Shift shift) {
      return std::ranges::any_of(tried, [&](Shift other) { return distance(other, shift) <= 2; });
    };
    for (const std::size_t index : highest<T>(surface_, peaks_))
      for (const Shift shift : readings(index, extent_)) {
        if (!is_possible(shift, direction, extent_, files_) || is_tried(shift)) continue;
        tried.push_back(shift);
        const double found = correlation(first, second, shift);
        const double height = static_cast<double>(surface_[index]) / static_cast<double>(surface_.size());
        if (found > best.correlation) best = {.shift = shift, .correlation = found, .peak = height};
      }
    return best;
  }

  Extent extent_;
  int peaks_;
  const TileFiles& files_;
  spectral::PlaneTransform<T> transform_{extent_.width, extent_.height};
  // These are empty until they are first used, so copies that are never used take no memory.
  spectral::Plane<std::complex<T>> spectrum_;
  spectral::Plane<T> surface_;
};

template <class T>
using Data = graph::Lease<Tile<T>>;

/// Adds the tasks that read and transform tiles in the order `order` to a graph. `reader` and `order` must
/// outlive the runs of the graph.
template <class T>
graph::Flow<Data<T>> transformed(tessera::graph::Graph& graph, const TileReader& reader,
                                 const std::vector<int>& order, graph::PoolOptions pool, Aligner<T> aligner) {
  const graph::Pool<Tile<T>> transforms(
      graph, "transforms", pool, [extent = reader.extent()] { return std::make_shared<Tile<T>>(extent); });
  // The source takes the memory, so that tiles get it in the order of the traversal.
  const auto tiles = graph.source(
      "tiles", {.rank = graph::Task::every_rank},
      [&order](std::int64_t i, Data<T> tile) {
        tile->number = i < std::ssize(order) ? order[static_cast<std::size_t>(i)] : -1;
        return tile->number < 0 ? std::nullopt : std::optional(tile);
      },
      transforms);
  const auto read = graph.task(
      "read", {.on = reader.place()},
      [&reader](Data<T> tile) {
        reader.read(tile->number, tile->pixels);
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

/// Returns the key of a pair in a ledger.
std::string key_of(const TileFiles& tiles, const Pair& pair) {
  return tessera::app::Ledger::state_of({tiles.path(pair.first), tiles.path(pair.second)});
}

/// Returns the grid without the pairs whose translations are known.
Grid without(Grid grid, const std::vector<FoundTranslation>& known) {
  for (const FoundTranslation& one : known) grid.remove(one.pair);
  return grid;
}

}  // namespace

void note(const tessera::app::Ledger& ledger, const TileFiles& tiles, const FoundTranslation& found) {
  const auto& [shift, correlation, evidence, peak] = found.translation;
  // Numbers are written with enough digits to be read without a change.
  ledger.add(key_of(tiles, found.pair),
             fmt::format("{} {} {} {} {}", shift.x, shift.y, correlation, evidence, peak));
}

std::vector<FoundTranslation> noted_translations(MPI_Comm communicator, const tessera::app::Ledger& ledger,
                                                 const TileFiles& tiles) {
  std::vector<FoundTranslation> known;
  tessera::collectively(communicator, [&] {
    int rank = 0;
    MPI_Comm_rank(communicator, &rank);
    if (rank != 0) return;
    const auto items = ledger.items();
    if (items.empty()) return;
    for (const Pair& pair : tiles.grid.pairs()) {
      const auto item = items.find(key_of(tiles, pair));
      if (item == items.end()) continue;
      Translation one;
      std::istringstream text(item->second);
      if (text >> one.shift.x >> one.shift.y >> one.correlation >> one.evidence >> one.peak)
        known.push_back({pair, one});
    }
  });
  return graph::broadcast(communicator, known);
}

bool is_possible(Shift shift, Direction direction, Extent extent, const TileFiles& files) {
  const bool is_right = direction == Direction::right;
  const int along = is_right ? shift.x : shift.y, across = is_right ? shift.y : shift.x;
  const int side = is_right ? extent.width : extent.height, other = is_right ? extent.height : extent.width;
  const double common = static_cast<double>(side - along);
  return along > 0 && common >= std::max(1.0, files.overlap / 4 * side) &&
         common <= files.most_overlap * side && 2 * std::abs(across) <= other;
}

Translations::Translations(const TileReader& reader, Band band, const TranslationOptions& options)
    : reader_(reader),
      options_(options),
      grid_(without(reader.grid(), options.known)),
      pairs_(pairs_of(grid_, band)),
      tiles_(tiles_in_order(grid_, band, options.halo, options.traversal)),
      results_(pairs_.size()) {
  const int first_tile = reader.grid().number({band.begin, 0});
  const auto is_above = [&](const Pair& pair) { return pair.first < first_tile; };
  if (options.halo == Halo::send) halo_size_ = static_cast<int>(std::ranges::count_if(pairs_, is_above));
}

std::int64_t Translations::bytes_of_tile() const {
  const Extent extent = reader_.extent();
  const std::size_t number = 2 * (options_.in_double ? sizeof(double) : sizeof(float));
  return static_cast<std::int64_t>(extent.pixels() * sizeof(std::uint16_t) + extent.frequencies() * number);
}

std::int64_t Translations::bytes() const {
  // Each worker has memory for both tasks: `transform` has the pixels as real numbers, and `align` has these
  // and a spectrum.
  const std::int64_t number = options_.in_double ? sizeof(double) : sizeof(float);
  const auto values = static_cast<std::int64_t>(reader_.extent().pixels() + reader_.extent().frequencies());
  return (pool_size() + halo_size()) * bytes_of_tile() + 2 * options_.workers * number * values;
}

void Translations::add_tasks(tessera::graph::Graph& graph) {
  options_.in_double ? add<double>(graph) : add<float>(graph);
}

template <class T>
void Translations::add(tessera::graph::Graph& graph) {
  Aligner<T> aligner(reader_, options_.peaks);
  const auto own =
      transformed<T>(graph, reader_, tiles_, {.count = pool_size(), .bytes = bytes_of_tile()}, aligner);
  const auto ranks = [this](const Data<T>& tile) {
    return ranks_that_need(reader_.grid(), options_.ranks, reader_.grid().cell(tile->number).row);
  };
  const auto needed = options_.halo == Halo::send ? graph.send("halo", ranks, own) : own;
  const auto number = [](const Data<T>& tile) { return tile->number; };
  const auto ready = graph.pair("pair", pairing_, number, needed);
  const auto aligned = graph.task(
      "align", {},
      [this, aligner](const graph::Paired<Data<T>>& tiles) mutable {
        const Direction direction = pairs_[at(tiles.pair)].direction;
        return std::pair(tiles.pair, aligner.align(*tiles.first, *tiles.second, direction));
      },
      ready);
  graph.sink(
      "keep", {},
      [this](const auto& found) {
        results_[at(found.first)] = found.second;
        if (options_.found) options_.found({pairs_[at(found.first)], found.second});
      },
      aligned);
}

tessera::cost::WorkPart work_of_translations(const TileReader& reader, const TranslationOptions& options) {
  const Grid& grid = reader.grid();
  Band band;
  const auto rows = [&](Band some) {
    const Band all = some.transformed(options.halo);
    return some.end > some.begin ? all.end - all.begin : 0;
  };
  for (int rank = 0; rank < options.ranks; ++rank)
    if (const Band other = Band::of_rank(grid, options.ranks, rank); rows(other) > rows(band)) band = other;
  const auto tiles = static_cast<double>(tiles_in_order(grid, band, options.halo, Traversal::rows).size()),
             pairs = static_cast<double>(pairs_of(grid, band).size());
  const auto pixels = static_cast<double>(reader.extent().pixels());
  const double floats_per_number = options.in_double ? 2 : 1;
  const double spectrum =
      static_cast<double>(reader.extent().frequencies()) * 2 * floats_per_number * sizeof(float);
  // A transform of real numbers takes half of the operations of one of complex numbers, and goes over its
  // numbers in two passes. A pair takes another transform, of its cross-power spectrum.
  const double operations = 2.5 * pixels * std::log2(pixels) * floats_per_number;
  tessera::cost::WorkPart part{.name = "translations",
                               .read_bytes = tiles * pixels * static_cast<double>(size_of(reader.type())),
                               .memory_bytes = (tiles * 4 + pairs * 6) * spectrum,
                               .operations = (tiles + pairs) * operations};
  if (options.halo == Halo::send && options.ranks > 1) {
    part.messages = grid.columns();
    part.message_bytes = part.messages * (spectrum + pixels * sizeof(std::uint16_t));
  }
  return part;
}

}  // namespace stitch
