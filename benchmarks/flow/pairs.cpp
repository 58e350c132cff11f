// SPDX-License-Identifier: BSD-3-Clause
#include "flow/pairs.hpp"

#include <cmath>
#include <cstring>

#include "tessera/domain/error.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/view/host_copy.hpp"

namespace bench {
namespace {

using namespace tessera;
using flow::Pair, flow::PairLease, flow::PairPlans;

/// A frame in memory.
HostBlock block_of(const Box& box, std::vector<std::uint8_t>& frame) {
  HostBlock block{reinterpret_cast<std::byte*>(frame.data()), ElementType::uint8, box, {1, box[0].size()}};
  return block;
}

/// Reads a rank's part of a frame in memory.
class FrameSource final : public BlockSource {
 public:
  explicit FrameSource(const HostBlock& frame) : frame_(frame) {}
  void read(const HostBlock& block) override { copy_part(frame_, block, block.box); }

 private:
  HostBlock frame_;
};

/// A sum of the bits of a flow, in which the places of the numbers count.
class BitSum final : public BlockSink {
 public:
  void write(const HostBlock& block) override { value = of(block); }

  static std::uint64_t of(const HostBlock& block) {
    std::uint64_t sum = 0;
    const Box& box = block.box;
    for (std::int64_t c = box[2].begin; c < box[2].end; ++c)
      for (std::int64_t y = box[1].begin; y < box[1].end; ++y)
        for (std::int64_t x = box[0].begin; x < box[0].end; ++x) {
          std::uint32_t bits = 0;
          const std::int64_t place = (x - box[0].begin) * block.strides[0] +
                                     (y - box[1].begin) * block.strides[1] +
                                     (c - box[2].begin) * block.strides[2];
          std::memcpy(&bits, block.data + place * std::int64_t{sizeof(bits)}, sizeof(bits));
          sum = sum * 0x9E3779B97F4A7C15U + bits;
        }
    return sum;
  }

  std::uint64_t value = 0;
};

}  // namespace

/// The whole pipeline with a schedule of its loops, ready to run.
struct FlowPairs::PlannedFlow {
  PlannedFlow(const app::Session& session, const Box& box, const flow::Settings& settings, bool overlaps_test)
      : rounds(rounds_of(box, settings, overlaps_test)), instance(make_instance(session)) {}

  static Rounds rounds_of(const Box& box, const flow::Settings& settings, bool overlaps_test) {
    const Pipeline pipeline = flow::make_pipeline(box, ElementType::uint8, settings);
    Schedule schedule;
    schedule.grid = {{1, 0}};
    for (const LoopDeclaration& loop : pipeline.loops())
      if (loop.name.starts_with("solve")) schedule.loops[loop.name].overlaps_test = overlaps_test;
    return in_rounds(pipeline, schedule);
  }
  PlanInstance make_instance(const app::Session& session) const {
    Target target;
    target.threads = session.threads();
    target.cache_bytes = cache_to_write_past(target.threads);
    const Plan plan =
        make_plan(rounds.pipeline, rounds.schedule, target, session.rank_count(), session.rank());
    return {rounds.pipeline, plan, session.communicator()};
  }

  Rounds rounds;
  PlanInstance instance;
};

FlowPairs::FlowPairs(const app::Session& session, Size size, int pairs, const flow::Settings& settings)
    : session_(session), settings_(settings), box_{{0, size.width}, {0, size.height}} {
  draw(size, pairs);
  for (const bool overlaps_test : {false, true})
    pipelines_.push_back(std::make_unique<PlannedFlow>(session, box_, settings_, overlaps_test));
  plans_ = std::make_shared<const PairPlans>(box_, ElementType::uint8, settings_, flow::Extras{},
                                             cache_to_write_past(1));
}

FlowPairs::~FlowPairs() = default;

/// Draws a texture that moves more from frame to frame, so that pairs need different numbers of turns.
void FlowPairs::draw(Size size, int pairs) {
  for (int frame = 0; frame <= pairs; ++frame) {
    const double shift = 0.8 * frame + 0.3 * frame * frame;
    std::vector<std::uint8_t>& pixels = frames_.emplace_back();
    for (int b = 0; b < size.height; ++b)
      for (int a = 0; a < size.width; ++a) {
        const double x = a - shift, y = b + shift / 2;
        pixels.push_back(static_cast<std::uint8_t>(
            127 + 30 * std::sin(0.21 * x + 0.05 * y) + 28 * std::cos(0.17 * y - 0.08 * x) +
            25 * std::sin(0.11 * x) * std::sin(0.13 * y) + 30 * std::sin(0.031 * x - 0.043 * y)));
      }
  }
}

void FlowPairs::by_pipeline(bool overlaps_test) {
  PlannedFlow& planned = *pipelines_[overlaps_test ? 1 : 0];
  std::int64_t turns = 0;
  std::vector<std::uint64_t> sums;
  for (std::size_t pair = 0; pair + 1 < frames_.size(); ++pair) {
    FrameSource first(block_of(box_, frames_[pair])), second(block_of(box_, frames_[pair + 1]));
    BitSum sum;
    Bindings bindings{{{"input", &first}, {"frame_1", &second}}, {}};
    if (session_.rank_count() == 1) bindings.sinks["flow"] = &sum;
    bindings.after_loop = [&](const LoopProgress& progress) {
      const auto& loops = planned.rounds.pipeline.loops();
      if (loops[static_cast<std::size_t>(progress.loop)].name.starts_with("solve")) turns += progress.turns;
    };
    planned.instance.run(bindings);
    sums.push_back(sum.value);
  }
  note(turns, sums);
}

void FlowPairs::by_graph(int window) {
  const auto pairs = static_cast<std::int64_t>(frames_.size()) - 1;
  const int ranks = session_.rank_count(), rank = session_.rank();
  graph::Graph graph("flow");
  std::size_t used = 0;
  const graph::Pool<Pair> memory(graph, "pairs", {.count = window}, [&] {
    if (used == memory_.size()) memory_.push_back(std::make_shared<Pair>());
    return memory_[used++];
  });
  const auto begun = graph.source(
      "draw", {},
      [&](std::int64_t number, PairLease pair) -> std::optional<PairLease> {
        const std::int64_t index = rank + number * ranks;
        if (index >= pairs) return std::nullopt;
        pair->begin(index, plans_);
        for (const auto& [image, frame] : {std::pair{&pair->first, index}, {&pair->second, index + 1}})
          copy_part(block_of(box_, frames_[static_cast<std::size_t>(frame)]), image->points(), box_);
        return pair;
      },
      memory);
  std::int64_t turns = 0;
  std::vector<std::uint64_t> sums;
  graph.sink(
      "count", {.order = graph::Order::stamp},
      [&](const PairLease& pair) {
        for (const auto& level : pair->turns)
          for (const int of_warp : level) turns += of_warp;
        sums.push_back(ranks == 1 ? BitSum::of(pair->result.points()) : 0);
      },
      flow::add_flow(graph, settings_, std::ssize(plans_->levels()), begun));
  graph.configure({.window = window});
  graph.run({.workers = session_.threads()}).wait();
  MPI_Allreduce(MPI_IN_PLACE, &turns, 1, MPI_INT64_T, MPI_SUM, session_.communicator());
  sums.resize(static_cast<std::size_t>(pairs));
  note(turns, sums);
}

void FlowPairs::note(std::int64_t turns, const std::vector<std::uint64_t>& sums) {
  if (turns_ < 0) {
    turns_ = turns;
    sums_ = sums;
  }
  if (turns != turns_ || sums != sums_)
    throw InternalError("two variants of the flow have different results or numbers of turns");
}

}  // namespace bench
