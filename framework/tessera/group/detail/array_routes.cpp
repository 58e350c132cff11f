// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/array_routes.hpp"

#include <algorithm>

#include "tessera/domain/block_distribution.hpp"

namespace tessera::group {
namespace {

/// Adds a box to boxes none of which lies in another one.
void add_box(std::vector<Box>& boxes, const Box& box) {
  if (box.empty()) return;
  for (const Box& other : boxes)
    if (other.contains(box)) return;
  std::erase_if(boxes, [&](const Box& other) { return box.contains(other); });
  boxes.push_back(box);
}

/// Returns the blocks of rows that ranks read at the start, or write at the stop, of a program.
BlockDistribution rows_over_ranks(const Box& points, int rank_count) {
  return {points, points, resolve_grid({}, points, rank_count)};
}

/// Returns rows_of_rank for each rank.
std::vector<Box> rows_of_ranks(const Box& points, int rank_count) {
  std::vector<Box> boxes;
  const BlockDistribution rows = rows_over_ranks(points, rank_count);
  for (int rank = 0; rank < rank_count; ++rank) boxes.push_back(rows.owned(rank));
  return boxes;
}

/// Returns the points of an output of a stream that each rank writes: those that it owns.
std::vector<Box> written_points(const std::vector<Box>& owned, const Box& written) {
  std::vector<Box> boxes;
  for (const Box& box : owned) boxes.push_back(box.empty() ? Box{} : intersection(box, written));
  return boxes;
}

/// Returns the points that each rank needs of an array for any reader.
std::vector<Box> hulls_of_readers(const std::vector<ArrayRoutes::Reader>& readers, int rank_count) {
  std::vector<Box> boxes(static_cast<std::size_t>(rank_count));
  for (const ArrayRoutes::Reader& reader : readers)
    for (std::size_t rank = 0; rank < boxes.size(); ++rank)
      if (!reader.read[rank].empty()) boxes[rank] = hull(boxes[rank], reader.read[rank]);
  return boxes;
}

/// Returns the points of an input or output of a task that each rank of the program owns.
std::vector<Box> owned_points(const ScheduledPipeline& scheduled, int array, const std::vector<int>& ranks,
                              int rank_count) {
  std::vector<Box> boxes(static_cast<std::size_t>(rank_count));
  const ArrayDeclaration& declared = scheduled.pipeline()[array];
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Box& box = boxes[static_cast<std::size_t>(ranks[i])];
    if (!declared.is_everywhere())
      box = scheduled[array].distribution.owned(static_cast<int>(i));
    else if (i == 0)
      box = declared.domain;
  }
  return boxes;
}

}  // namespace

Box rows_of_rank(const Box& points, int rank_count, int rank) {
  return rows_over_ranks(points, rank_count).owned(rank);
}

ArrayRoutes::Transfer ArrayRoutes::transfer(int from, int to) const {
  Transfer result;
  if (is_local && from != to) return result;
  const Box& box = owned[static_cast<std::size_t>(from)];
  if (box.empty()) return result;
  for (const Reader& reader : readers) {
    const Box part = intersection(box, reader.read[static_cast<std::size_t>(to)]);
    if (part.empty()) continue;
    if (result.boxes.empty()) result.first_place = reader.place;
    result.last_place = reader.place;
    add_box(result.boxes, part);
  }
  for (const Box& part : result.boxes) result.points += part.size();
  return result;
}

std::vector<ArrayRoutes> array_routes(const Program& program, const std::vector<TaskGroup>& groups,
                                      const std::vector<std::unique_ptr<ScheduledPipeline>>& scheduled,
                                      int rank_count, bool is_stream) {
  std::vector<std::size_t> group_of(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) group_of[static_cast<std::size_t>(groups[i].task)] = i;
  const auto owned = [&](const Port& port) {
    const std::size_t group = group_of[static_cast<std::size_t>(port.task)];
    return owned_points(*scheduled[group], port.array, groups[group].ranks, rank_count);
  };
  const auto place_of = [&](int task) {
    return static_cast<int>(group_of[static_cast<std::size_t>(task)]) + 1;
  };
  std::vector<ArrayRoutes> all;
  for (const ProgramArray& array : program.arrays()) {
    ArrayRoutes routes;
    routes.place = array.is_input() ? 0 : place_of(array.producer.task);
    routes.is_local = is_stream && array.is_input();
    for (const Port& use : array.uses) routes.readers.push_back({place_of(use.task), owned(use)});
    std::ranges::sort(routes.readers, {}, &ArrayRoutes::Reader::place);
    routes.owned = !array.is_input() ? owned(array.producer)
                   : is_stream       ? hulls_of_readers(routes.readers, rank_count)
                                     : rows_of_ranks(array.domain, rank_count);
    if (!array.output.empty())
      routes.readers.push_back(
          {static_cast<int>(groups.size()) + 1, is_stream ? written_points(routes.owned, array.written)
                                                          : rows_of_ranks(array.written, rank_count)});
    all.push_back(std::move(routes));
  }
  return all;
}

}  // namespace tessera::group
