// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
  /// The weight of smoothness. The quadratic penalty takes its square, and Charbonnier's the weight itself.
  double alpha = 7;
  Penalty penalty = Penalty::quadratic;
  /// The number of levels. If it is not set, it is that of the article's program (see level_boxes).
  std::optional<int> levels = {};
  /// The extents of a level divided by those of the next finer level; less than 1.
  double zoom = 0.5;
  /// The standard deviation of the Gaussian that smooths the frames.
  double presmoothing = 0.8;
  /// The greatest number of warps at each level.
  std::int64_t warps = 10;
  /// If it is not 0, the warps of a level end when a warp has changed the flow by no more than this, as a
  /// root mean square.
  double warp_tolerance = 0.0001;
  Solver solver = Solver::red_black;
  /// The factor of over-relaxation.
  double relaxation = 1.9;
  /// The greatest number of turns of the solver in each warp.
  std::int64_t turns = 150;
  /// If it is not 0, the solver ends when a turn has changed the flow by no more than this, as a root mean
  /// square.
  double tolerance = 0.0001;
  /// The largest displacement of a warp in pixels of the finest level. If it is not set, there is no limit.
  std::optional<double> reach = {};
  /// The levels whose schedule computes several turns of the solver on a tile. Turns of Chebyshev's
  /// acceleration then store their iterate a second time, which makes them slower one by one and faster in
  /// tiles. It never changes a result.
  std::set<int> levels_in_tiles = {};
};

/// Further things that the pipeline computes.
struct Extras {
  /// Whether there is an input `truth`, which the flow is compared with.
  bool has_truth = false;
  /// Whether there is an output `picture`, the flow in colours.
  bool has_picture = false;
  /// The magnitude that has the purest colours. If it is not set, it is the largest magnitude of the flow.
  std::optional<double> picture_scale = {};
  /// The weight of the colours where they are drawn over the first frame; without it, the picture has the
  /// colours alone.
  std::optional<double> blend = {};
};

/// An array of the pixels of a level.
using Plane = tessera::Array<float, 2>;

/// The two components of a flow.
struct Flow {
  Plane u, v;
};

/// Returns the greatest number of levels for a frame, such that each level has fewer pixels than the one
/// before.
int most_levels(const tessera::Box& frame, double zoom);
/// The greatest number of levels that the article's program has.
inline constexpr int most_default_levels = 10;
/// Returns the pixels of each level, the finest one first. If Settings::levels is not set, the levels are
/// those of the article's program: up to most_default_levels, as long as the diagonal is at least some 16
/// pixels.
std::vector<tessera::Box> level_boxes(const tessera::Box& frame, const Settings& settings);

/// Declares the loops of level `level`: `warps_<level>`, and in it `solve_<level>`. `first` and `second` are
/// the frames at this level. The loops begin with the flow `coarser` of the next coarser level, or with no
/// flow. Returns the arrays `u_<level>` and `v_<level>`, which have the flow of the level after the loops.
Flow add_level(tessera::Pipeline& pipeline, int level, const std::vector<tessera::Box>& boxes,
               const Settings& settings, Plane first, Plane second, const std::optional<Flow>& coarser);

/// Makes the whole pipeline for frames of `type` with the points `frame`, (x, y) or (x, y, channel). Its
/// inputs are `input`, which is the first frame, `frame_1`, and `truth`, if there is one. Its outputs are
/// `flow`, an image of the channels u and v, and what `extras` says besides: the image `picture`, and the
/// numbers `average_endpoint_error`, `average_angular_error`, `share_above_1` and `share_above_3`.
tessera::Pipeline make_pipeline(const tessera::Box& frame, tessera::ElementType type,
                                const Settings& settings, const Extras& extras = {});

}  // namespace flow
