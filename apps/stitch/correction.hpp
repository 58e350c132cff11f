// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/graph/graph.hpp"
#include "tessera/spectral/plane_transform.hpp"
#include "translations.hpp"

// The model of the stage, and the search for the translations of pairs that do not agree with it.
namespace stitch {

/// How the stage of a microscope moves in one direction.
struct StageStep {
  /// The median of the translations.
  Shift step;
  /// The largest difference between a translation and the step, along x or along y, in pixels.
  int repeatability = 0;
  /// The number of pairs that gave the step. If it is 0, the step is a guess that follows from the expected
  /// overlap.
  int measured = 0;

  /// Returns whether a shift differs from the step by at most `radius` pixels along x and along y.
  bool has_within(Shift shift, int radius) const { return distance(shift, step) <= radius; }
  /// The radius of a search for a shift that could not be measured, as MIST chooses it.
  int search_radius() const { return 2 * repeatability + 1; }
};

/// The model of a stage: J. Chalfoun et al. (MIST, 2017), section 'stage model'.
struct StageModel {
  StageStep right, below;
  const StageStep& of(Direction direction) const { return direction == Direction::right ? right : below; }
};

/// Where the final translation of a pair comes from.
enum class Origin : std::uint8_t { measured, searched, model };
inline constexpr std::string_view origin_names[] = {"measured", "searched", "model"};

/// The final translation of a pair.
struct Placement {
  Translation translation;
  Origin origin = Origin::measured;
  Pair pair = {};
  /// Returns whether the translation was measured or searched, and is not that of the model.
  bool is_found() const { return origin != Origin::model; }
};
using Placements = std::vector<Placement>;

/// Returns the model that follows from the translations of a whole grid. A translation counts if it was
/// searched, or if it was measured, correlates by at least `reliable` and has a texture. Outliers do not
/// count: a coordinate of theirs lies outside of the quartiles by more than 1.5 times the distance of the
/// quartiles. Where no translation counts, the step follows from `overlap`.
StageModel model_of(const Placements& placements, Extent extent, double overlap, double reliable);

/// Returns whether a model is better than a guess: the step of each direction follows from at least a quarter
/// of the pairs, and from at least three pairs if there are three.
bool is_founded(const StageModel& model, const Placements& placements);

/// Returns whether a placement can be taken as it is: it is exact, and agrees with the model. `extent` is the
/// size of the tiles. If other pairs do not confirm the placement, its peak must be higher.
bool agrees(const StageModel& model, Extent extent, const Placement& placement, bool is_confirmed);

/// Chooses the final translation of a pair whose translation does not agree with the model: the searched one,
/// unless the tiles are clearly more alike at the measured one. Translations that differ too much from the
/// model do not count. If neither translation counts, the result is the step of the model. `extent` is the
/// size of the tiles.
Placement choose(const StageModel& model, const Pair& pair, Extent extent, double reliable,
                 const Translation& measured, const Translation& searched);

/// Searches for the translations of pairs of tiles of one size around the step of the stage. Several threads
/// may use one object at the same time.
class Searcher {
 public:
  explicit Searcher(Extent extent) : extent_(extent), transform_(extent.width, extent.height) {}

  /// Searches the shift with the best correlation of the flattened tiles, no farther from the step than its
  /// search radius. Within a small radius all shifts are tried. In a larger one, only those are tried where
  /// the unnormalised correlation of the parts that may overlap is highest, and a hill is climbed from the
  /// best of them. The shift then moves to where the tiles themselves are most alike, if their evidence says
  /// that this is exact; this may be a few pixels farther away. At last it moves to where the clipped
  /// differences of the tiles are most alike, if they clearly are more alike there. The result has no
  /// correlation if no shift is clear, or if the best one lies at the border of the search.
  Translation operator()(const StageStep& step, const Pixels& first, const Pixels& second) const;
  /// The most bytes that a search uses, with the pixels of both tiles, if its radius is at most a quarter of
  /// a tile.
  std::int64_t bytes() const;

 private:
  std::optional<Shift> flat_best(const StageStep& step, const Pixels& first, const Pixels& second) const;
  std::vector<Shift> promising(const StageStep& step, const Pixels& first, const Pixels& second) const;

  Extent extent_;
  tessera::spectral::PlaneTransform<float> transform_;
};

/// The searches of one rank for the translations of pairs that do not agree with the model of the stage.
class Searches {
 public:
  /// `reader` must outlive this object. At most `workers` searches run at the same time, and no more than fit
  /// into `memory` bytes if `memory` is above 0.
  Searches(const TileReader& reader, int workers, std::int64_t memory);

  /// Adds the tasks to a graph, which must not outlive this object.
  void add_tasks(tessera::graph::Graph& graph);
  /// The most bytes of the searches on this rank, if the repeatability of the stage is at most an eighth of a
  /// tile.
  std::int64_t bytes() const { return areas_ * searcher_.bytes(); }

  /// Says what the next run searches: these pairs, around the steps of `model`.
  void set_work(const StageModel& model, Pairs pairs) {
    model_ = model;
    pairs_ = std::move(pairs);
    results_.assign(pairs_.size(), {});
  }
  /// The translations that the last run found, in the order of the pairs.
  const std::vector<Translation>& results() const { return results_; }

 private:
  /// The pixels of a pair of tiles, and the right to use the memory of a search.
  struct Area {
    std::vector<std::uint16_t> first, second;
  };

  const TileReader& reader_;
  Searcher searcher_;
  /// The number of searches that may run at the same time, each in an area.
  int areas_ = 1;
  StageModel model_;
  Pairs pairs_;
  std::vector<Translation> results_;
};

}  // namespace stitch
