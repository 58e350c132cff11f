// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/tiles.hpp"

namespace tessera {

/// A compute node that is ready to run. All that its tiles look up is worked out once.
struct TileProgram {
  /// The place of an array. `scratch` is its place in the node's list of scratch arrays; if it is negative
  /// the array is in memory.
  struct Place {
    int array;
    int scratch;
  };
  /// The boundary conditions of an array in scratch, which fill its points outside its domain.
  struct Border {
    int scratch;
    Box domain;
    BoundaryConditions boundary;
    std::int64_t element_size;
  };
  /// A stage that is computed in every tile.
  struct Member {
    int stage;
    const StageKernel* kernel;
    std::vector<Place> inputs;
    std::vector<Place> outputs;
    std::vector<Border> borders = {};
    /// The places in scratch of outputs that global reductions read, but no member. The member is computed in
    /// strips of rows, and these outputs hold one strip.
    std::vector<std::size_t> in_strips = {};
  };

  /// A contribution to a global reduction: the points of each tile that lie in `box`, of the output `input`
  /// of a member.
  struct Contribution {
    int stage;
    const ReductionKernel* kernel;
    std::vector<Place> input;
    Box box;
    std::size_t member;
  };

  TileProgram(const Algorithm& pipeline, const plan::Compute& compute);

  const plan::Compute* step;
  Tiles tiles;
  std::vector<Member> members;
  /// The member that computes each scratch array, by its place in the node's list.
  std::vector<std::size_t> scratch_member;
  /// The bytes of an element of each scratch array, by its place in the node's list.
  std::vector<std::int64_t> scratch_element;
  /// Whether the root is a global reduction, which then is the only contribution.
  bool reduces;
  std::vector<Contribution> contributions;

  /// The box of a member, which is not the last one, that a tile needs.
  const Box& box(std::int64_t tile, std::size_t member) const {
    return step->boxes[static_cast<std::size_t>(tile) * (members.size() - 1) + member];
  }

 private:
  void find_strips(const Algorithm& pipeline);
};

}  // namespace tessera
