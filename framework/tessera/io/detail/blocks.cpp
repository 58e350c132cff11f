// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"

namespace tessera::io::detail {

void check_block(const HostBlock& block, ElementType type, const Box& domain) {
  if (block.box.empty()) return;
  if (block.type != type)
    throw InternalError(fmt::format("a block of {} for a file of {}", name_of(block.type), name_of(type)));
  if (!domain.contains(block.box))
    throw InternalError(
        fmt::format("a block {} outside the file's domain {}", to_string(block.box), to_string(domain)));
  if (block.data == nullptr || block.strides[0] != 1)
    throw InternalError(fmt::format("a block {} without memory, or with gaps in x", to_string(block.box)));
}

void for_each_run(
    const HostBlock& block, const Box& domain,
    const std::function<void(std::int64_t first, std::int64_t points, std::byte* memory)>& use) {
  const Box& box = block.box;
  if (box.empty()) return;
  // A run extends over the dimensions below `split`. The block covers the whole domain in each of these
  // dimensions except the last, and the memory of a run has no gaps.
  int split = 1;
  std::int64_t points = box[0].size();
  for (; split < box.dimensions && box[split - 1] == domain[split - 1] && block.strides[split] == points;
       ++split)
    points *= box[split].size();

  const std::int64_t runs = box.size() / points;
  for (std::int64_t run = 0; run < runs; ++run) {
    Box part = box;
    std::int64_t rest = run;
    for (int d = split; d < box.dimensions; ++d) {
      part[d].begin += rest % box[d].size();
      rest /= box[d].size();
    }
    std::int64_t first = 0;
    for (int d = box.dimensions - 1; d >= 0; --d)
      first = first * domain[d].size() + part[d].begin - domain[d].begin;
    use(first, points, address_of(block, part));
  }
}

std::vector<Box> slabs(const Box& box, std::int64_t limit) {
  std::vector<Box> result;
  if (box.empty()) return result;
  int slowest = box.dimensions - 1;
  while (slowest > 0 && box[slowest].size() == 1) --slowest;
  if (box.size() <= limit || slowest == 0) return {box};

  const std::int64_t layer = box.size() / box[slowest].size();
  const std::int64_t layers = std::max<std::int64_t>(1, limit / layer);
  for (std::int64_t begin = box[slowest].begin; begin < box[slowest].end; begin += layers) {
    Box slab = box;
    slab[slowest] = {begin, std::min(begin + layers, box[slowest].end)};
    for (const Box& part : slabs(slab, limit)) result.push_back(part);
  }
  return result;
}

std::vector<Box> groups_of_chunks(const Box& box, const Box& domain, const Point& chunk, std::int64_t limit) {
  if (box.empty()) return {};
  Point group;
  for (int d = 0; d < box.dimensions; ++d) {
    const std::int64_t first = (box[d].begin - domain[d].begin) / chunk[d];
    const std::int64_t last = (box[d].end - 1 - domain[d].begin) / chunk[d];
    group[d] = std::clamp<std::int64_t>(limit, 1, last - first + 1);
    limit /= group[d];
  }
  std::vector<Box> parts{box};
  for (int d = box.dimensions - 1; d >= 0; --d) {
    std::vector<Box> cut;
    for (Box part : parts)
      for (std::int64_t begin = box[d].begin; begin < box[d].end; begin = part[d].end) {
        const std::int64_t chunks = (begin - domain[d].begin) / chunk[d] + group[d];
        part[d] = {begin, std::min(domain[d].begin + chunks * chunk[d], box[d].end)};
        cut.push_back(part);
      }
    parts = std::move(cut);
  }
  return parts;
}

}  // namespace tessera::io::detail
