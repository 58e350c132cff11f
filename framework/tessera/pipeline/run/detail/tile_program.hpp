// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/tiles.hpp"

namespace tessera {

/// A compute node made ready to run: what its tiles look up is settled once.
struct TileProgram {
  /// Where an array is found: in scratch, at this place of the node's list, or, when negative, in memory.
  struct Place {
    int array;
    int scratch;
  };
  /// What an array in scratch holds beyond the domain at which it ends.
  struct Border {
    int scratch;
    Box domain;
    BoundaryConditions boundary;
    std::int64_t element_size;
  };
  struct Member {
    int stage;
    const StageKernel* kernel;
    std::vector<Place> inputs;
    std::vector<Place> outputs;
    std::vector<Border> borders = {};
    /// Outputs, by place in scratch, that global reductions read and no member: it is computed in strips of
    /// rows, and these hold one of them.
    std::vector<std::size_t> in_strips = {};
  };

  /// To a global reduction: of a member's output `input`, the points of a tile that are in `box`.
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
  /// By place in scratch: which member computes it, and the size of its elements.
  std::vector<std::size_t> scratch_member;
  std::vector<std::int64_t> scratch_element;
  /// The root is a global reduction, and so the only contribution.
  bool reduces;
  std::vector<Contribution> contributions;

  /// What a tile needs of a member but the last.
  const Box& box(std::int64_t tile, std::size_t member) const {
    return step->boxes[static_cast<std::size_t>(tile) * (members.size() - 1) + member];
  }

 private:
  void find_strips(const Algorithm& pipeline);
};

}  // namespace tessera
