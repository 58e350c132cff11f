// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace flow {

/// The methods that solve the equations of a warp.
enum class Solver : std::uint8_t { jacobi, red_black, chebyshev };
/// The penalties of differences of grey values and of flows.
enum class Penalty : std::uint8_t { quadratic, charbonnier };

/// The settings of the method, from a deck. The defaults are those of the article's program.
struct Settings {
  /// The weight of smoothness: its square counts for the quadratic penalty, it itself for Charbonnier's.
  double alpha = 7;
  Penalty penalty = Penalty::quadratic;
  /// The number of levels; without it, that of default_levels.
  std::optional<int> levels = {};
  /// The quotient of the extents of a level and of the finer one, less than 1.
  double zoom = 0.5;
  /// The standard deviation of the Gaussian that smooths the frames.
  double presmoothing = 0.8;
  /// The greatest number of warps at each level.
  std::int64_t warps = 10;
  /// If it is not 0, the warps of a level end when one has changed the flow by no more, as a root mean
  /// square.
  double warp_tolerance = 0.0001;
  Solver solver = Solver::red_black;
  /// The factor of over-relaxation.
  double relaxation = 1.9;
  /// The greatest number of turns of the solver in each warp.
  std::int64_t turns = 150;
  /// If it is not 0, the solver ends when a turn has changed the flow by no more, as a root mean square.
  double tolerance = 0.0001;
  /// The largest displacement of a warp in pixels of the finest level; without it, there is none.
  std::optional<double> reach = {};
  /// The levels whose schedule computes several turns of the solver on a tile. Turns of Chebyshev's
  /// acceleration then store their iterate a second time, which makes them slower one by one and faster in
  /// tiles. It never changes a result.
  std::set<int> levels_in_tiles = {};
};

/// Further things that the pipeline computes.
struct Extras {
  /// Whether there is an input `truth`, from which the errors of the flow are computed.
  bool has_truth = false;
  /// Whether there is an output `picture`, the flow in colours.
  bool has_picture = false;
  /// The magnitude that has the purest colours; without it, the largest one of the flow.
  std::optional<double> picture_scale = {};
  /// The weight of the colours where they are drawn over the first frame; without it, the picture has the
  /// colours alone.
  std::optional<double> blend = {};
  /// Whether the square of the largest magnitude is an output, `largest_square`. It needs a picture without
  /// `picture_scale`.
  bool tells_largest = false;
};

/// The numbers that the truth gives: outputs of one element each.
inline constexpr std::array<const char*, 4> error_names = {"average_endpoint_error", "average_angular_error",
                                                           "share_above_1", "share_above_3"};

/// An array of the pixels of a level.
using Plane = tessera::Array<float, 2>;

/// The two components of a flow.
struct Flow {
  Plane u, v;
};

/// The levels of both frames. Level 0 is the finest.
struct Pyramids {
  std::vector<Plane> first, second;
  /// The grey values of the first frame, and the least and the greatest of them.
  Plane first_grey;
  tessera::Array<float, 1> first_range;
};

/// The first frame as pictures show it.
struct Backdrop {
  Plane grey;
  /// The numbers by which grey values become those from 0 to 255, as those of the value `scale`. They leave
  /// bytes as they are, and stretch other types from the least value of the frame to its greatest one.
  tessera::Array<float, 1> scale;
};

/// Returns the greatest number of levels for a frame, of which each has fewer pixels than the one before.
int most_levels(const tessera::Box& frame, double zoom);
/// The number of levels of the article's program is at most this one.
inline constexpr int most_default_levels = 10;
/// Returns the number of levels of the article's program: up to most_default_levels, as long as the diagonal
/// is at least some 16 pixels.
int default_levels(const tessera::Box& frame, double zoom);
/// Returns the pixels of each level, the finest one first.
std::vector<tessera::Box> level_boxes(const tessera::Box& frame, const Settings& settings);

/// Declares the inputs `input` and `frame_1`, of `type` and with the points `frame`, and the stages that
/// make levels of them: `first_0`, `second_0`, `first_1`, and so on.
Pyramids add_pyramids(tessera::Pipeline& pipeline, const tessera::Box& frame, tessera::ElementType type,
                      const Settings& settings);

/// Declares the loops of level `level`: `warps_<level>`, and in it `solve_<level>`. They begin with the flow
/// `coarser` of the next level, or with no flow. Returns the arrays `u_<level>` and `v_<level>`, which have
/// the flow of the level after the loops.
Flow add_level(tessera::Pipeline& pipeline, int level, const std::vector<tessera::Box>& boxes,
               const Settings& settings, Plane first, Plane second, const std::optional<Flow>& coarser);

/// Declares the input `input`, a frame of `type` with the points `frame`, as the backdrop of pictures.
Backdrop add_backdrop(tessera::Pipeline& pipeline, const tessera::Box& frame, tessera::ElementType type);

/// Declares the output `flow`, an image of the channels u and v, and what `extras` says besides: the output
/// `picture`, and the numbers that error_names lists. `backdrop` is only needed for pictures that are drawn
/// over the first frame.
void add_results(tessera::Pipeline& pipeline, const Flow& flow, const tessera::Box& pixels,
                 const Extras& extras, const std::optional<Backdrop>& backdrop = {});

/// Makes the whole pipeline for frames of `type` with the points `frame`, (x, y) or (x, y, channel). Its
/// inputs are `input`, which is the first frame, `frame_1`, and `truth`, if there is one.
tessera::Pipeline make_pipeline(const tessera::Box& frame, tessera::ElementType type,
                                const Settings& settings, const Extras& extras = {});

}  // namespace flow
