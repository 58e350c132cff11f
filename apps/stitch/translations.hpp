// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "correlation.hpp"
#include "tessera/app/ledger.hpp"
#include "tessera/cost/work.hpp"
#include "tessera/graph/graph.hpp"
#include "tile_reader.hpp"

// The translations of pairs of tiles, as they are measured.
namespace stitch {

/// Where the second tile of a pair lies relative to the first one, and what speaks for it.
struct Translation {
  Shift shift;
  /// The correlation of what both tiles show. It is `no_correlation` if no shift is possible.
  double correlation = no_correlation;
  /// The result of the function `evidence` for the shift.
  double evidence = 0;
  /// The value of the peak that gave the shift, from 0 to 1.
  double peak = 0;
};

/// The translation of a pair, as a ledger keeps it.
struct FoundTranslation {
  Pair pair;
  Translation translation;
};

/// Notes the translation of a pair of `tiles`. Any thread may call it.
void note(const tessera::app::Ledger& ledger, const TileFiles& tiles, const FoundTranslation& found);

/// Returns the translations that a ledger has of pairs of `tiles`, as long as their files have not changed,
/// in the order of the pairs of the grid. Collective.
std::vector<FoundTranslation> noted_translations(MPI_Comm communicator, const tessera::app::Ledger& ledger,
                                                 const TileFiles& tiles);

/// Returns whether the second tile of a pair can lie at `shift`: it follows the first one in the direction of
/// the pair, is not moved aside by more than half a tile, and the share of the tile that both tiles then show
/// along this direction is at least a quarter of the overlap of `files`, and at most their `most_overlap`.
bool is_possible(Shift shift, Direction direction, Extent extent, const TileFiles& files);

/// How translations are computed. The members from `halo` on change no result.
struct TranslationOptions {
  /// The number of the highest peaks that are tried.
  int peaks = 2;
  /// True when transforms are computed in double, and not in float.
  bool in_double = false;
  Halo halo = Halo::recompute;
  int ranks = 1;
  /// Without it, the traversal that needs the fewest transforms on each rank.
  std::optional<Traversal> traversal = {};
  int workers = 1;
  /// The number of transforms in the pool; without it, Translations::pool_size chooses one.
  std::optional<int> transforms = {};
  /// The translations that are known and not computed, in the order of the pairs of the grid.
  std::vector<FoundTranslation> known = {};
  /// A function that gets each translation when it has been computed. Any thread may call it.
  std::function<void(const FoundTranslation&)> found = {};
};

/// The translations of those pairs of one rank that are not known yet, which a graph computes.
class Translations {
 public:
  /// `reader` must outlive this object.
  Translations(const TileReader& reader, Band band, const TranslationOptions& options);

  /// Adds the tasks to a graph, which must not outlive this object.
  void add_tasks(tessera::graph::Graph& graph);

  const Pairs& pairs() const { return pairs_; }
  /// The translations of all ranks that are known, in the order of the pairs of the grid.
  const std::vector<FoundTranslation>& known() const { return options_.known; }
  /// The number of this rank's transforms that must be alive at the same time, the number that the pool has,
  /// and the number that another rank sends.
  int most_live() const { return most_live_; }
  int pool_size() const {
    // One more transform for each worker but the first lets workers transform the next tiles while pairs are
    // computed.
    const int most = std::max(1, static_cast<int>(tiles_.size()));
    return options_.transforms.value_or(std::clamp(most_live_ + options_.workers - 1, 1, most));
  }
  int halo_size() const { return halo_size_; }
  /// The bytes that the graph uses: those of the pool, of what another rank sends, and of its workers.
  std::int64_t bytes() const;
  /// The translations of the pairs after the run of the graph.
  const std::vector<Translation>& results() const { return results_; }

 private:
  /// The bytes of the pixels and the transform of a tile.
  std::int64_t bytes_of_tile() const;
  template <class T>
  void add(tessera::graph::Graph& graph);

  const TileReader& reader_;
  TranslationOptions options_;
  /// The grid without the pairs that are known.
  Grid grid_;
  Pairs pairs_;
  tessera::graph::Pairing pairing_{pairs_};
  std::vector<int> tiles_;
  int most_live_ = pairing_.most_kept(tiles_);
  int halo_size_ = 0;
  std::vector<Translation> results_;
};

/// Returns the work of finding the translations, on the rank with the most rows of tiles.
tessera::cost::WorkPart work_of_translations(const TileReader& reader, const TranslationOptions& options);

}  // namespace stitch
