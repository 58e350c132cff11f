// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/flow/flow_graph.hpp"
#include "image_size.hpp"
#include "tessera/app/session.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace bench {

/// A series of frames of a moving texture, and the ways to compute the flows of its pairs. All functions are
/// collective. Each throws InternalError if it needs other numbers of turns than the first one, or, on one
/// rank, if a flow has other bits.
class FlowPairs {
 public:
  /// Draws the frames, and plans the pipelines.
  FlowPairs(const tessera::app::Session& session, Size size, int pairs, const flow::Settings& settings);
  ~FlowPairs();

  /// Computes one pair after the other on all ranks, and all threads of each. They decide about the end of
  /// the solver's loop after each turn, or while they compute the next one.
  void by_pipeline(bool overlaps_test);
  /// Computes each pair on one thread of one rank, up to `window` pairs at the same time on each rank. The
  /// memory of pairs is kept for the next call, as that of the pipelines is.
  void by_graph(int window);

  /// The number of turns of the solver for all pairs.
  std::int64_t turns() const { return turns_; }

 private:
  struct PlannedFlow;

  void draw(Size size, int pairs);
  void note(std::int64_t turns, const std::vector<std::uint64_t>& sums);

  const tessera::app::Session& session_;
  flow::Settings settings_;
  tessera::Box box_;
  std::vector<std::vector<std::uint8_t>> frames_;
  std::vector<std::unique_ptr<PlannedFlow>> pipelines_;
  std::shared_ptr<const flow::PairPlans> plans_;
  std::vector<std::shared_ptr<flow::Pair>> memory_;
  std::int64_t turns_ = -1;
  /// Sums of the bits of the flow of each pair. They are only known to a single rank.
  std::vector<std::uint64_t> sums_;
};

}  // namespace bench
