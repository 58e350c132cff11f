// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "tessera/domain/error.hpp"

namespace tessera::io::detail {
namespace {

/// Calls use(count, samples, points) for each row of each channel that both `samples` and `block` hold.
/// `count` is the number of points of the row that both hold. The arguments `samples` and `points` are the
/// addresses of the first of these points, in the interleaved image and in the block. In the interleaved
/// image, the distance from a point of the row to the next one is the number of channels.
template <class T, class Use>
void for_each_row(const Interleaved& samples, const HostBlock& block, const Use& use) {
  const Range columns = intersection(samples.box[0], block.box[0]);
  const Range rows = intersection(samples.box[1], block.box[1]);
  const Range channels = channels_of(samples.box);
  const Range common = intersection(channels, channels_of(block.box));
  for (std::int64_t c = common.begin; c < common.end; ++c)
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      const std::int64_t point =
          (y - samples.box[1].begin) * samples.box[0].size() + columns.begin - samples.box[0].begin;
      use(columns.size(), reinterpret_cast<T*>(samples.data) + point * channels.size() + c - channels.begin,
          reinterpret_cast<T*>(row_address(block, columns.begin, y, c)));
    }
}

/// Calls use(step) with the distance between the points of a row. The distances of images of 1, 3 and
/// 4 channels are constants, so that the compiler makes faster loops.
template <class Use>
void with_step(std::int64_t step, const Use& use) {
  if (step == 1) return use(std::integral_constant<std::int64_t, 1>());
  if (step == 3) return use(std::integral_constant<std::int64_t, 3>());
  if (step == 4) return use(std::integral_constant<std::int64_t, 4>());
  use(step);
}

/// Calls use(sample, point) for each point that both `samples` and `block` hold.
template <class Use>
void for_each_point(const Interleaved& samples, const HostBlock& block, const Use& use) {
  if (block.box.empty()) return;
  with_element_type(block.type, [&]<class T>(std::type_identity<T>) {
    with_step(channels_of(samples.box).size(), [&](auto step) {
      for_each_row<T>(samples, block, [&](std::int64_t count, T* first, T* points) {
        for (std::int64_t i = 0; i < count; ++i) use(first[i * step], points[i]);
      });
    });
  });
}

}  // namespace

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

Range channels_of(const Box& box) { return box.dimensions == 3 ? box[2] : Range{0, 1}; }

Box image_domain(std::int64_t width, std::int64_t height, std::int64_t channels) {
  Box domain{{0, width}, {0, height}};
  if (channels > 1) domain.range[domain.dimensions++] = {0, channels};
  return domain;
}

std::int64_t bytes_of_row(const Box& domain, ElementType type) {
  return domain[0].size() * channels_of(domain).size() * static_cast<std::int64_t>(size_of(type));
}

Interleaved row_of(std::byte* data, ElementType type, const Box& domain, std::int64_t y) {
  Interleaved row{data, type, domain};
  row.box[1] = {y, y + 1};
  return row;
}

std::byte* row_address(const HostBlock& block, std::int64_t x, std::int64_t y, std::int64_t c) {
  Box first = block.box;
  first[0].begin = x;
  first[1].begin = y;
  if (first.dimensions == 3) first[2].begin = c;
  return address_of(block, first);
}

void take_points(const Interleaved& from, const HostBlock& to) {
  for_each_point(from, to, [](const auto& sample, auto& point) { point = sample; });
}

void put_points(const HostBlock& from, const Interleaved& to) {
  for_each_point(to, from, [](auto& sample, const auto& point) { sample = point; });
}

}  // namespace tessera::io::detail
