// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "correlation.hpp"
#include "grid.hpp"
#include "tessera/graph/graph.hpp"
#include "tile_reader.hpp"

namespace stitch {

/// How the second tile of a pair lies to the first one.
struct Translation {
  Shift shift;
  /// The correlation of what both tiles show. It is `no_correlation` if no shift is possible.
  double correlation = no_correlation;
  /// By how much more the tiles are alike at the shift than tiles that have nothing in common (see
  /// `evidence`).
  double evidence = 0;
  /// The value of the peak from which the shift was read, in 0 to 1.
  double peak = 0;
};

/// How translations are computed. Only the first three members change results.
struct TranslationOptions {
  /// The number of the highest peaks that are tried.
  int peaks = 2;
  /// Whether transforms are computed in double, and not in float.
  bool in_double = false;
  /// The share of a tile that its neighbour also shows, as far as it is known.
  double overlap = 0.1;
  /// The channel that is compared.
  int channel = 0;
  Traversal traversal = Traversal::rows;
  /// The number of worker threads.
  int workers = 1;
};

/// Returns whether the second tile of a pair can lie at `shift`: it follows the first one in the direction of
/// the pair, with a quarter of the expected overlap at least and three quarters of the tile at most, and is
/// not moved aside by more than half a tile.
bool is_possible(Shift shift, Direction direction, Extent extent, double overlap);

/// The translations of the pairs of one rank, which a graph computes: the phase correlation of C. D. Kuglin
/// and D. C. Hines (1975), whose highest peaks are read in all ways and compared by the correlation of what
/// both tiles then show, as J. Chalfoun et al. (MIST, 2017) do.
class Translations {
 public:
  /// `reader` must outlive this object.
  Translations(const TileReader& reader, Band band, const TranslationOptions& options);

  /// Adds the tasks to the graph: tiles, read, transform, pair, align, keep. The graph must not outlive this
  /// object.
  void add_tasks(tessera::graph::Graph& graph);

  const std::vector<Pair>& pairs() const { return pairs_; }
  /// The number of tiles that are transformed.
  int tile_count() const { return static_cast<int>(tiles_.size()); }
  /// The number of transforms that must be alive at the same time, and of those that the pool has without a
  /// word of the deck.
  int most_live() const { return most_live_; }
  int pool_size() const;
  /// The bytes of the pixels and the transform of a tile.
  std::int64_t bytes_of_tile() const;
  /// The translations of the pairs after the run of the graph.
  const std::vector<Translation>& results() const { return results_; }

 private:
  template <class T>
  void add(tessera::graph::Graph& graph);

  const TileReader& reader_;
  TranslationOptions options_;
  std::vector<Pair> pairs_;
  std::vector<int> tiles_;
  int most_live_ = 0;
  std::vector<Translation> results_;
};

}  // namespace stitch
