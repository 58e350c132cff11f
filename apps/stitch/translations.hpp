// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "aligner.hpp"
#include "grid.hpp"
#include "tessera/graph/graph.hpp"
#include "tile_reader.hpp"

namespace stitch {

/// How translations are computed. The last five members change no result.
struct TranslationOptions {
  /// The number of the highest peaks that are tried.
  int peaks = 2;
  /// Whether transforms are computed in double, and not in float.
  bool in_double = false;
  /// The share of a tile that its neighbour also shows, as far as it is known.
  double overlap = 0.1;
  /// The channel that is compared.
  int channel = 0;
  /// How transforms of the halo come from another rank, and the number of ranks.
  Halo halo = Halo::recompute;
  int ranks = 1;
  /// The order in which tiles are read; without it the one that needs the fewest transforms on each rank.
  std::optional<Traversal> traversal = {};
  /// The number of worker threads.
  int workers = 1;
  /// The number of transforms in the pool; without it as many as are needed.
  std::optional<int> transforms = {};
};

/// The translations of the pairs of one rank, which a graph computes (see Aligner).
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
  /// The number of transforms of this rank that must be alive at the same time, and of those that the pool
  /// has.
  int most_live() const { return most_live_; }
  int pool_size() const;
  /// The bytes of the pixels and the transform of a tile.
  std::int64_t bytes_of_tile() const;
  /// The number of transforms that another rank sends.
  int halo_size() const { return halo_size_; }
  /// The bytes that the graph has in the pool, for what other ranks send, and in the memory of its workers.
  std::int64_t bytes() const;
  /// The translations of the pairs after the run of the graph.
  const std::vector<Translation>& results() const { return results_; }

 private:
  template <class T>
  using Data = tessera::graph::Lease<Tile<T>>;
  /// Adds the tasks that transform the tiles of this rank.
  template <class T>
  tessera::graph::Flow<Data<T>> transformed(tessera::graph::Graph& graph, Aligner<T> aligner);
  template <class T>
  void add(tessera::graph::Graph& graph);

  const TileReader& reader_;
  TranslationOptions options_;
  std::vector<Pair> pairs_;
  tessera::graph::Pairing pairing_{pairs_};
  std::vector<int> tiles_;
  int most_live_ = pairing_.most_kept(tiles_);
  int halo_size_ = 0;
  std::vector<Translation> results_;
};

}  // namespace stitch
