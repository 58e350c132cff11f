// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/explain/explain.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

namespace tessera {
namespace {

/// The contents of a plan as bytes, without the positions of boxes and without the partners of messages. Only
/// the plans of ranks of one class have equal bytes.
class Signature {
 public:
  explicit Signature(const Plan& plan) {
    for (const ArrayRegions& stage : plan.stages) add(stage);
    for (const Buffer& buffer : plan.buffers) {
      add(extents(buffer.box));
      add(buffer.offset);
      add(buffer.bytes);
      add(buffer.first_node);
      add(buffer.last_node);
    }
    walk(plan.root, [this](const PlanNode& node) {
      add(static_cast<std::int64_t>(node.step.index()));
      std::visit([this](const auto& step) { add(step); }, node.step);
    });
    for (std::int64_t bytes :
         {plan.array_bytes, plan.message_bytes, plan.scratch_bytes, plan.partial_bytes, plan.library_bytes})
      add(bytes);
  }

  std::size_t hash() const { return std::hash<std::string_view>()(bytes_); }

 private:
  using Numbers = std::vector<std::int64_t>;

  static Numbers extents(const Box& box) {
    Numbers numbers;
    for (int d = 0; d < box.dimensions; ++d) numbers.push_back(box[d].size());
    return numbers;
  }

  void add(std::int64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(const Numbers& numbers) {
    add(static_cast<std::int64_t>(numbers.size()));
    for (std::int64_t number : numbers) add(number);
  }
  /// Adds the entries of `list` in sorted order, because ranks of one class may have their messages and parts
  /// in different orders.
  void add_sorted(std::vector<Numbers> list) {
    std::sort(list.begin(), list.end());
    add(static_cast<std::int64_t>(list.size()));
    for (const Numbers& numbers : list) add(numbers);
  }

  void add(const ArrayRegions& stage) {
    for (const Box* box : {&stage.owned, &stage.required, &stage.computed}) add(extents(*box));
    for (std::int64_t number :
         {std::int64_t{to_int(stage.written_buffer)}, std::int64_t{to_int(stage.read_buffer)},
          stage.computed_points, stage.redundant_points})
      add(number);
  }
  void add(const plan::Exchange& step) {
    for (const plan::ArrayMessages& array : step.arrays) {
      add(std::int64_t{to_int(array.array)});
      for (const auto* messages : {&array.lists.sends, &array.lists.receives, &array.lists.copies}) {
        std::vector<Numbers> list;
        for (const Message& message : *messages) {
          list.push_back(extents(message.box));
          list.back().push_back(message.in_place ? 1 : 0);
        }
        add_sorted(std::move(list));
      }
    }
  }
  void add(const plan::Compute& step) {
    std::vector<Numbers> parts;
    for (const Box& part : step.parts) parts.push_back(extents(part));
    add_sorted(std::move(parts));
    std::int64_t points = 0;
    for (const Box& box : step.boxes) points += box.size();
    for (std::int64_t number : {points, static_cast<std::int64_t>(step.boxes.size()), step.scratch_bytes})
      add(number);
    add(step.tile);
    add(step.inner);
  }
  /// Adds the extents of the box of a step, if the step has a box. The other members of these steps are the
  /// same on all ranks, or follow from the buffers, which the constructor adds.
  template <class Step>
  void add(const Step& step) {
    if constexpr (requires { step.box; }) add(extents(step.box));
  }

  std::string bytes_;
};

}  // namespace

void RankClasses::add(const Plan& plan) {
  const auto [place, is_new] = places_.try_emplace(Signature(plan).hash(), classes_.size());
  if (is_new) classes_.push_back({0, plan.rank});
  ++classes_[place->second].rank_count;
}

std::vector<RankClass> RankClasses::largest(std::size_t count) const {
  std::vector<RankClass> some = classes_;
  std::ranges::stable_sort(some, std::ranges::greater(), &RankClass::rank_count);
  some.resize(std::min(count, some.size()));
  std::ranges::sort(some, std::ranges::less(), &RankClass::first_rank);
  return some;
}

}  // namespace tessera
