// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/detail/rank_regions.hpp"

namespace tessera {

RankRegions::RankRegions(const ScheduledPipeline& scheduled, int rank, Regions& others)
    : scheduled_(scheduled), rank_(rank), own_(scheduled), others_(others), search_(scheduled.rank_count()) {
  own_.select(rank, rank + 1);
}

Storage RankRegions::storage_of(Regions& regions, int array) const {
  const ArrayDeclaration& declaration = scheduled_.pipeline()[array];
  if (declaration.is_everywhere()) return {declaration.domain, declaration.domain};
  if (const std::vector<int>& group = scheduled_.swap_groups().of(array); !group.empty()) {
    // All arrays of a swap group have buffers of the same shape. The rows of all these buffers are aligned at
    // the first computed point of the last array of the group.
    Storage storage{regions.computed(array), {}};
    storage.written_x = storage.read_x = regions.computed(group.back())[0].begin;
    for (int member : group)
      storage.read = hull(storage.read, hull(regions.computed(member), regions.required(member)));
    if (storage.read.dimensions == 0) storage.read.dimensions = declaration.dimensions;
    return storage;
  }
  Storage storage{regions.computed(array), regions.required(array), 0, 0,
                  !scheduled_[array].has_separate_buffers};
  storage.written_x = storage.written[0].begin;
  storage.read_x = storage.read[0].begin;
  if (declaration.is_input() && !scheduled_[array].consumers.empty()) {
    const Box& consumer = regions.computed(scheduled_[array].consumers.front());
    if (!consumer.empty() && storage.read[0].contains(consumer[0].begin))
      storage.written_x = storage.read_x = consumer[0].begin;
  }
  return storage;
}

BlockLayout RankRegions::layout(Regions& regions, int array, bool written) const {
  const Storage storage = storage_of(regions, array);
  const Box box = storage.shared ? hull(storage.written, storage.read)
                  : written      ? storage.written
                                 : storage.read;
  return buffer_layout(box, storage.shared || written ? storage.written_x : storage.read_x,
                       scheduled_.pipeline()[array].type);
}

ExchangeLists RankRegions::messages(int array) {
  const BlockDistribution& owners = scheduled_[array].distribution;
  const BoundaryConditions& conditions = scheduled_.pipeline()[array].boundary;
  ExchangeLists lists =
      transfer_lists(owners, conditions, rank_, search_, [&](int first, int last) -> const Box& {
        others_.select(first, last);
        return others_.required(array);
      });
  if (storage(array).shared)
    std::erase_if(lists.copies, [](const Message& copy) { return copy.shift == Point{}; });
  mark_in_place(
      lists, [&](bool written) { return layout(own_, array, written); },
      [&](int other, bool written) {
        others_.select(other, other + 1);
        return layout(others_, array, written);
      },
      owners.domain(), conditions);
  return lists;
}

BlockLayout buffer_layout(const Box& box, std::int64_t aligned_x, ElementType type) {
  return padded_layout(box, aligned_x, static_cast<std::int64_t>(size_of(type)));
}

}  // namespace tessera
