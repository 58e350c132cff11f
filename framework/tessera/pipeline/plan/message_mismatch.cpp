// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/message_mismatch.hpp"

#include <map>

#include "tessera/view/block_layout.hpp"

namespace tessera {
namespace {

using Exchanges = std::vector<const PlanNode*>;
using Messages = std::vector<Message>;
using ByPartner = std::map<int, Messages>;

Exchanges exchanges_of(const Plan& plan) {
  Exchanges exchanges;
  walk(plan.root, [&](const PlanNode& node) {
    if (std::holds_alternative<plan::Exchange>(node.step)) exchanges.push_back(&node);
  });
  return exchanges;
}

ByPartner by_partner(const Messages& messages) {
  ByPartner sorted;
  for (const Message& message : messages) sorted[message.partner].push_back(message);
  return sorted;
}

class MismatchFinder {
 public:
  MismatchFinder(const Algorithm& pipeline, const std::vector<Plan>& plans)
      : pipeline_(pipeline), plans_(plans) {
    for (const Plan& plan : plans) exchanges_.push_back(exchanges_of(plan));
  }

  std::optional<MessageMismatch> find() const {
    for (std::size_t node = 0; !plans_.empty() && node < exchanges_.front().size(); ++node) {
      const PlanNode& first = *exchanges_.front()[node];
      for (std::size_t k = 0; k < std::get<plan::Exchange>(first.step).arrays.size(); ++k)
        if (const auto found = find(node, k)) return MessageMismatch{first.id, found->first, found->second};
    }
    return {};
  }

 private:
  const plan::ArrayMessages& messages(std::size_t rank, std::size_t node, std::size_t array) const {
    return std::get<plan::Exchange>(exchanges_[rank].at(node)->step).arrays.at(array);
  }

  /// Returns the first pair of a sending and a receiving rank whose messages for one array of one exchange do
  /// not agree, or nothing if all messages agree.
  std::optional<std::pair<int, int>> find(std::size_t node, std::size_t array) const {
    std::vector<ByPartner> received;
    for (std::size_t rank = 0; rank < plans_.size(); ++rank)
      received.push_back(by_partner(messages(rank, node, array).lists.receives));
    for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
      const int from = static_cast<int>(rank);
      const plan::ArrayMessages& mine = messages(rank, node, array);
      for (const auto& [to, sends] : by_partner(mine.lists.sends)) {
        Messages& expected = received[static_cast<std::size_t>(to)][from];
        if (!agree(mine.array, from, to, sends, expected)) return std::pair(from, to);
        expected.clear();
      }
    }
    for (std::size_t rank = 0; rank < plans_.size(); ++rank)
      for (const auto& [partner, expected] : received[rank])
        if (!expected.empty()) return std::pair(partner, static_cast<int>(rank));
    return {};
  }

  bool agree(int array, int from, int to, const Messages& sends, const Messages& receives) const {
    if (sends.size() != receives.size()) return false;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      Message expected = receives[i];
      expected.partner = to;
      const bool has_common_rows =
          !sends[i].in_place ||
          have_common_strides(sends[i].box, layout(from, array, &ArrayRegions::written_buffer),
                              layout(to, array, &ArrayRegions::read_buffer));
      if (!(sends[i] == expected) || !has_common_rows) return false;
    }
    return true;
  }

  BlockLayout layout(int rank, int array, int ArrayRegions::*side) const {
    const Plan& plan = plans_[static_cast<std::size_t>(rank)];
    const int place = plan.stages[static_cast<std::size_t>(array)].*side;
    const Buffer& buffer = plan.buffers[static_cast<std::size_t>(place)];
    return padded_layout(buffer.box, buffer.aligned_x, pipeline_[array].element_bytes());
  }

  const Algorithm& pipeline_;
  const std::vector<Plan>& plans_;
  /// For each rank, the exchanges of its plan in order.
  std::vector<Exchanges> exchanges_;
};

}  // namespace

std::optional<MessageMismatch> find_message_mismatch(const Algorithm& pipeline,
                                                     const std::vector<Plan>& plans) {
  return MismatchFinder(pipeline, plans).find();
}

}  // namespace tessera
