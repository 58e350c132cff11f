// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "stage_model.hpp"

namespace stitch {

/// Searches for the translations of pairs of tiles of one size around the step of the stage. Several threads
/// may use one object at the same time.
class Searcher {
 public:
  explicit Searcher(Extent extent) : fourier_(extent) {}

  /// Returns the shift, no farther from the step than its search radius, with the best correlation of the
  /// flattened tiles. Within a small radius all shifts are tried. Else those are where the unnormalised
  /// correlation of the parts that may overlap, by Fourier transforms, is highest, and from the best of them
  /// hills are climbed. The shift is then moved to where the tiles themselves are most alike, which may be a
  /// few pixels farther away, if their evidence says that this is exact; and to where their clipped
  /// differences are, if they clearly are there. The result has no correlation if no shift is clear, or the
  /// best one lies at the border of what was searched.
  Translation operator()(const StageStep& step, const Pixels& first, const Pixels& second) const;
  /// The most bytes that a search has with the pixels of both tiles, for radii up to a quarter of a tile.
  std::int64_t bytes() const;

 private:
  class Surface;
  std::optional<Shift> flat_best(const StageStep& step, const Pixels& first, const Pixels& second) const;
  static std::optional<Shift> most_alike(const StageStep& step, const Pixels& first, const Pixels& second,
                                         std::optional<Shift> start);
  std::vector<Shift> promising(const StageStep& step, const Pixels& first, const Pixels& second) const;

  Fourier<float> fourier_;
};

}  // namespace stitch
