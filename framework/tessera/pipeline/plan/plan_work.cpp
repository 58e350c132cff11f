// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/plan_work.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan/tiles.hpp"

namespace tessera {
namespace {

Traffic traffic(const Algorithm& pipeline, const plan::Exchange& exchange,
                std::vector<Message> ExchangeLists::*side) {
  Traffic traffic;
  std::vector<int> partners;
  for (const plan::ArrayMessages& array : exchange.arrays)
    for (const Message& message : array.lists.*side) {
      partners.push_back(message.partner);
      traffic.bytes += bytes_of(pipeline, array.array, message.box);
    }
  std::sort(partners.begin(), partners.end());
  traffic.messages = std::unique(partners.begin(), partners.end()) - partners.begin();
  return traffic;
}

bool is_in_scratch(const plan::Compute& step, ArrayId array) {
  return std::ranges::any_of(step.scratch,
                             [array](const plan::Scratch& place) { return place.array == array; });
}

/// Counts the bytes that the members of a compute node read from arrays in memory, for one part of the root
/// stage and the inner tiles [first, last) of this part.
class PartReads {
 public:
  PartReads(const Algorithm& pipeline, const plan::Compute& step) : pipeline_(pipeline), step_(step) {}

  std::int64_t bytes(const Box& part, std::int64_t first, std::int64_t last) {
    needs_.clear();
    add(step_.stage, part);
    for (std::size_t m = 0; m + 1 < step_.members.size(); ++m)
      add(step_.members[m], hull_of_tiles(m, first, last));
    std::int64_t bytes = 0;
    for (const auto& [array, box] : needs_) bytes += bytes_of(pipeline_, array, box);
    return bytes;
  }

 private:
  Box hull_of_tiles(std::size_t m, std::int64_t first, std::int64_t last) const {
    Box box;
    const std::size_t others = step_.members.size() - 1;
    for (std::int64_t tile = first; tile < last; ++tile)
      box = hull(box, step_.boxes[static_cast<std::size_t>(tile) * others + m]);
    return box;
  }

  void add(ArrayId stage, const Box& all) {
    const Box box = pipeline_.within_bounds(stage, all);
    if (box.empty()) return;
    const std::vector<ArrayId>& inputs = pipeline_[stage].inputs;
    std::vector<Box> required(inputs.size());
    pipeline_[stage].kernel->required(box, required.data());
    for (std::size_t i = 0; i < required.size(); ++i) {
      if (!is_in_scratch(step_, inputs[i])) needs_[inputs[i]] = hull(needs_[inputs[i]], required[i]);
    }
  }

  const Algorithm& pipeline_;
  const plan::Compute& step_;
  std::map<ArrayId, Box> needs_;
};

StepWork work_of_compute(const Algorithm& pipeline, const plan::Compute& step) {
  StepWork work;
  PartReads reads(pipeline, step);
  const ArrayDeclaration& root = pipeline[step.stage];
  std::int64_t tile = 0;
  for (const Box& part : step.parts) {
    const std::int64_t tiles = InnerTiles({part}, step.tile, step.inner).size();
    work.bytes += reads.bytes(part, tile, tile + tiles);
    work.points += part.size();
    for (ArrayId output : pipeline.parts(step.stage))
      if (!root.is_reduction() && !is_in_scratch(step, output))
        work.bytes += bytes_of(pipeline, output, part);
    tile += tiles;
  }
  visit_computed(pipeline, step, [&](std::size_t, const Box& box) { work.points += box.size(); });
  return work;
}

}  // namespace

Traffic sent(const Algorithm& pipeline, const plan::Exchange& exchange) {
  return traffic(pipeline, exchange, &ExchangeLists::sends);
}

Traffic received(const Algorithm& pipeline, const plan::Exchange& exchange) {
  return traffic(pipeline, exchange, &ExchangeLists::receives);
}

std::int64_t bytes_of(const Algorithm& pipeline, ArrayId array, const Box& box) {
  return box.size() * pipeline[array].element_bytes();
}

StepWork work_of(const Algorithm& pipeline, const PlanNode& node) {
  return visit_step(
      node, [&](const plan::Compute& step) { return work_of_compute(pipeline, step); },
      [&](const plan::AnyOf<plan::Read, plan::Write> auto& step) {
        return StepWork{step.box.size(), bytes_of(pipeline, step.array, step.box)};
      },
      [&](const plan::Exchange& step) {
        return StepWork{0, sent(pipeline, step).bytes};
      },
      [&](const plan::FillBoundary& step) {
        const ArrayDeclaration& array = pipeline[step.array];
        const std::int64_t points = step.box.size() - intersection(step.box, array.domain).size();
        return StepWork{points, points * array.element_bytes()};
      },
      [](const plan::AnyOf<plan::Sequence, plan::Repeat, plan::Bands, plan::FinishExchange, plan::Reduce,
                           plan::Swap> auto&) { return StepWork{}; });
}

namespace {

/// All points of a footprint count as read for one point if they are at most `largest_stencil`. A larger
/// footprint is taken to come from an index that depends on data. It then contains all points that may be
/// read, and counts as `reads_by_data` points.
constexpr std::int64_t largest_stencil = 512, reads_by_data = 16;

}  // namespace

double cache_bytes_per_point(const Algorithm& pipeline, ArrayId stage, const Box& points) {
  std::int64_t bytes = 0;
  for (ArrayId part : pipeline.parts(stage)) bytes += pipeline[part].element_bytes();
  const std::vector<ArrayId>& inputs = pipeline[stage].inputs;
  if (points.empty() || inputs.empty()) return static_cast<double>(bytes);
  std::vector<Box> needs(inputs.size());
  pipeline[stage].kernel->required(centre(points, false), needs.data());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const std::int64_t reads = needs[i].size() <= largest_stencil ? needs[i].size() : reads_by_data;
    bytes += reads * pipeline[inputs[i]].element_bytes();
  }
  return static_cast<double>(bytes);
}

}  // namespace tessera
