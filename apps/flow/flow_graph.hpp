// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pair_plans.hpp"
#include "tessera/graph/graph.hpp"
#include "tessera/graph/image.hpp"

namespace flow {

/// The memory in which the flow of a pair of frames is computed, from one task to the next. It is the buffer
/// of a pool, and is used for one pair after the other.
struct Pair {
  using Image = tessera::graph::Image;

  /// A flow, or one of the iterates of a solver.
  struct Components {
    Image u, v;
  };

  /// The number of the pair in its series.
  std::int64_t index = 0;
  std::shared_ptr<const PairPlans> plans;
  Image first, second;
  /// For each level: the first frame, the second one, and its derivatives.
  std::vector<std::array<Image, 4>> pyramids;
  /// The equations of the warp: gx, gy, h and the diffusivity.
  std::array<Image, 4> equations;
  /// The flow, that of the turn before, that of the beginning of the warp, and one that is to be computed.
  /// They change places from turn to turn.
  std::array<Components, 4> flows;
  std::size_t now = 0, before = 0, start = 0;
  /// The weight of Chebyshev's acceleration in the last turn.
  float weight = 0;
  /// The level that is computed. The finest one is 0.
  int level = 0;
  /// Whether the last turn, or the last warp, has changed the flow so little that the loop ends.
  bool is_solved = false, is_settled = false;
  /// For each level, from the coarsest one on, and for each of its warps: the number of turns of the solver.
  std::vector<std::vector<int>> turns;
  /// The flow as an image of two channels, and the picture of it, if the plans have one.
  Image result, picture;
  /// The true flow, if the plans need it. It is to be written before the tasks begin, as the frames are.
  Image truth;
  /// The numbers that error_names lists, if there is a truth.
  std::array<double, error_names.size()> errors = {};
  /// The largest displacement in pixels, which has the purest colours in the picture, if the plans tell it.
  /// It is 0 if nothing moves.
  float largest = 0;

  /// Takes up a pair of frames, which are then to be written to `first` and `second`, and the truth to
  /// `truth`.
  void begin(std::int64_t number, std::shared_ptr<const PairPlans> its_plans);
  /// Returns the components that hold neither the flow nor one of those before that are still needed.
  std::size_t unused() const;
  /// Returns the bytes of the images of a pair.
  static std::int64_t bytes_for(std::shared_ptr<const PairPlans> its_plans);

 private:
  /// Returns the images of all arrays. Those of the flows and the equations, which all levels share, are the
  /// arrays of the level that needs the most memory, so that nothing is allocated from level to level.
  std::vector<tessera::graph::ImageOfArray> images();
  /// Returns the array of the level that needs the most memory. `array` returns the plan and the name of the
  /// array of a level.
  tessera::graph::ImageOfArray largest_of_levels(
      Image& image, const std::function<std::pair<Planned, std::string>(int)>& array) const;
};

using PairLease = tessera::graph::Lease<Pair>;

/// Adds the tasks that compute the flow of each pair: loops over levels, warps and turns of the solver, all
/// of which end by what is computed. Several pairs may be in different turns at the same time, and each task
/// computes by the plans of its pair, on the thread that calls it. `settings` must be those of the plans, and
/// no plans may have more levels than `levels`. The
/// flow and the numbers of turns are those of the whole pipeline, bit by bit.
tessera::graph::Flow<PairLease> add_flow(tessera::graph::Graph& graph, const Settings& settings,
                                         std::int64_t levels, const tessera::graph::Flow<PairLease>& pairs);

}  // namespace flow
