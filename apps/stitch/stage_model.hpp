// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "translations.hpp"

namespace stitch {

/// How the stage of a microscope moves in one direction.
struct StageStep {
  /// The median of the translations.
  Shift step;
  /// The largest difference between a translation and the step, along x or along y, in pixels.
  int repeatability = 0;
  /// The number of pairs that the two are taken from. If it is 0, they are what the deck lets expect.
  int measured = 0;

  /// Returns whether a shift differs from the step by at most `radius` pixels along x and along y.
  bool has_within(Shift shift, int radius) const;
  /// The radius within which shifts are searched that could not be measured, as MIST chooses it.
  int search_radius() const { return 2 * repeatability + 1; }
};

/// The model of a stage: J. Chalfoun et al. (MIST, 2017), section 'stage model'.
struct StageModel {
  StageStep right;
  StageStep below;
  const StageStep& of(Direction direction) const { return direction == Direction::right ? right : below; }
};

/// The evidence from which on tiles have a texture in common, and that from which on a measured translation
/// is exact. In between, noise may have moved its peak by a pixel.
inline constexpr double least_evidence = 5;
inline constexpr double exact_evidence = 15;
/// The height of a peak from which on it is hardly noise, in standard deviations of the surface around it,
/// and that from which on it is not a pixel off, nor one of the many peaks along an edge.
inline constexpr double exact_height = 7;
inline constexpr double clear_height = 25;

/// Where the final translation of a pair comes from.
enum class Origin : std::uint8_t { measured, searched, model };
/// The names of the origins in tables.
inline constexpr std::string_view origin_names[] = {"measured", "searched", "model"};

/// The final translation of a pair.
struct Placement {
  Translation translation;
  Origin origin = Origin::measured;
};

/// Returns the model of the translations of a whole grid. Translations count that were searched, or that
/// correlate by `reliable` at least and have a texture, and whose coordinates lie within 1.5 times the
/// distance of the quartiles from these. `overlap` says what to expect where there are none.
StageModel model_of(const std::vector<Pair>& pairs, const std::vector<Placement>& placements, Extent extent,
                    double overlap, double reliable);

/// Returns whether a model is better than a guess: each direction that has pairs was taken from a quarter of
/// them, and from three at least if there are so many.
bool is_founded(const StageModel& model, const std::vector<Pair>& pairs);

/// Returns whether a translation can be taken as it is: it is exact, and agrees with the model. `extent` is
/// that of the tiles. Where other pairs do not confirm it, its peak must be clear.
bool agrees(const StageModel& model, const Pair& pair, Extent extent, const Placement& placement,
            bool is_confirmed);

/// Chooses the final translation of a pair that does not agree with the model, between what was measured,
/// what was searched, and the step of the model: what was searched, unless the tiles are clearly more alike
/// as they were measured, and these do not lie too far from where the model puts them. `extent` is that of
/// the tiles.
Placement choose(const StageModel& model, const Pair& pair, Extent extent, double reliable,
                 const Translation& measured, const Translation& searched);

}  // namespace stitch
