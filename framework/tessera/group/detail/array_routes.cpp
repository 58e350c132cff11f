// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/array_routes.hpp"

#include <algorithm>

#include "tessera/domain/block_distribution.hpp"

namespace tessera::group {
namespace {

/// Adds a box to boxes. Boxes that lie in another one are left out.
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
IdVector<int, Box> rows_of_ranks(const Box& points, int rank_count) {
  IdVector<int, Box> boxes;
  const BlockDistribution rows = rows_over_ranks(points, rank_count);
  for (int rank = 0; rank < rank_count; ++rank) boxes.push_back(rows.owned(rank));
  return boxes;
}

/// Returns the points of an output of a stream that each rank writes. A rank writes the points that it owns.
IdVector<int, Box> written_points(const IdVector<int, Box>& owned, const Box& written) {
  IdVector<int, Box> boxes;
  for (const Box& box : owned) boxes.push_back(box.empty() ? Box{} : intersection(box, written));
  return boxes;
}

/// Returns the points that each rank needs of an array for all readers.
IdVector<int, Box> hulls_of_readers(const std::vector<ArrayRoutes::Reader>& readers, int rank_count) {
  IdVector<int, Box> boxes(rank_count);
  for (const ArrayRoutes::Reader& reader : readers)
    for (const int rank : boxes.ids())
      if (!reader.read[rank].empty()) boxes[rank] = hull(boxes[rank], reader.read[rank]);
  return boxes;
}

/// Returns the points of an input or output of a task that each rank of the program owns.
IdVector<int, Box> owned_points(const ScheduledPipeline& scheduled, ArrayId array,
                                const std::vector<int>& ranks, int rank_count) {
  IdVector<int, Box> boxes(rank_count);
  const ArrayDeclaration& declared = scheduled.pipeline()[array];
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Box& box = boxes[ranks[i]];
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
  const Box& box = owned[from];
  if (box.empty()) return result;
  for (const Reader& reader : readers) {
    const Box part = intersection(box, reader.read[to]);
    if (part.empty()) continue;
    if (result.boxes.empty()) result.first_place = reader.place;
    result.last_place = reader.place;
    add_box(result.boxes, part);
  }
  for (const Box& part : result.boxes) result.points += part.size();
  return result;
}

IdVector<int, ArrayRoutes> array_routes(const Program& program, const std::vector<ScheduledTask>& tasks,
                                        const std::vector<std::unique_ptr<ScheduledPipeline>>& scheduled,
                                        int rank_count, bool is_stream) {
  IdVector<TaskId, std::size_t> place(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) place[tasks[i].task] = i;
  const auto owned = [&](const Port& port) {
    const std::size_t i = place[port.task];
    return owned_points(*scheduled[i], port.array, tasks[i].ranks, rank_count);
  };
  // The places of tasks count from 1, between those of the start and the stop.
  const auto place_of = [&](TaskId task) { return static_cast<int>(place[task]) + 1; };
  IdVector<int, ArrayRoutes> all;
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
          {static_cast<int>(tasks.size()) + 1, is_stream ? written_points(routes.owned, array.written)
                                                         : rows_of_ranks(array.written, rank_count)});
    all.push_back(std::move(routes));
  }
  return all;
}

}  // namespace tessera::group
