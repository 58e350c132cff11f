// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/kernel/point_stage.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

namespace detail {

/// The kernel of a fusable group. A team of threads computes one tile: it computes all stages of the group,
/// one after the other, with a barrier after each stage.
template <class Bodies, class... Kernels>
struct GroupTile {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr std::size_t stages = sizeof...(Kernels);

  Bodies bodies;
  GroupTiles tiles;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto* scratch = static_cast<std::byte*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<int>(tiles.scratch_bytes), 64));
    compute<0, 0, Kernels...>(team, tiles.boxes + team.league_rank() * static_cast<std::int64_t>(stages),
                              scratch);
  }

  template <std::size_t S, int FirstArray, class Stage, class... Rest>
  KOKKOS_FUNCTION void compute(const Member& team, const Box* boxes, std::byte* scratch) const {
    const Box& box = boxes[S];
    if (!box.empty()) compute_stage<S, FirstArray, Stage>(team, boxes, scratch);
    team.team_barrier();
    if constexpr (sizeof...(Rest) > 0)
      compute<S + 1, FirstArray + Stage::DeviceKernel::array_count, Rest...>(team, boxes, scratch);
  }

  template <std::size_t S, int FirstArray, class Stage>
  KOKKOS_FUNCTION void compute_stage(const Member& team, const Box* boxes, std::byte* scratch) const {
    using Kernel = typename Stage::DeviceKernel;
    ArrayReference arrays[Kernel::array_count];
    for (int k = 0; k < Kernel::array_count; ++k) {
      const GroupArray& array = tiles.arrays[FirstArray + k];
      arrays[k] = array.member < 0 ? array.memory
                                   : dense_reference(scratch + array.scratch_offset, boxes[array.member],
                                                     array.element_size);
    }
    const Kernel kernel(get<S>(bodies), arrays, arrays + Kernel::input_count, boxes[S]);
    const Box units = kernel.units;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(units.size())), [&](int index) {
      int p[max_dimensions] = {};
      for (int d = 0; d < units.dimensions; ++d) {
        const int size = static_cast<int>(units[d].size());
        p[d] = static_cast<int>(units[d].begin) + index % size;
        index /= size;
      }
      kernel.compute(p);
    });
  }
};

}  // namespace detail

/// A fusable group of stages that a device computes in one kernel. `Kernels` are the PointStages of the
/// group.
template <class... Kernels>
class FusedStages final : public GroupKernel {
 public:
  /// Copies the bodies of the stages. The stages must be given in the order of their computation.
  explicit FusedStages(const Kernels&... kernels) : bodies_(pack(kernels.body()...)) {}

  void launch(const ExecutionSpace& execution, const GroupTiles& tiles) const override {
    using Tile = detail::GroupTile<decltype(bodies_), Kernels...>;
    const Tile tile{bodies_, tiles};
    typename Tile::Policy policy(execution, static_cast<int>(tiles.tile_count), Kokkos::AUTO);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(tiles.scratch_bytes + 64)));
    Kokkos::parallel_for("tessera: group", policy, tile);
  }

 private:
  decltype(pack(std::declval<const Kernels&>().body()...)) bodies_;
};

}  // namespace tessera
