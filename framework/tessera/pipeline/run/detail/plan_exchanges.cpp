// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/plan_exchanges.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/pipeline/plan/arrangements.hpp"

namespace tessera {

PlanExchanges::PlanExchanges(const RankExecutor& executor, MPI_Comm communicator, const Transport& transport)
    : executor_(executor) {
  const Plan& plan = executor.plan();
  walk(plan.root, [&](const PlanNode& node) {
    nodes_.resize(std::max(nodes_.size(), static_cast<std::size_t>(node.id) + 1));
    if (!std::holds_alternative<plan::Exchange>(node.step)) return;
    for (std::vector<int>& buffers : arrangements(plan, node))
      prepare(node, std::move(buffers), communicator, transport);
  });
}

void PlanExchanges::prepare(const PlanNode& node, std::vector<int> buffers, MPI_Comm communicator,
                            const Transport& transport) {
  std::vector<ExchangeField> fields;
  const auto& arrays = std::get<plan::Exchange>(node.step).arrays;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const ArrayRegions& regions = executor_.plan().stages[static_cast<std::size_t>(arrays[k].array)];
    // An array that a swap has moved to another buffer is read in the buffer in which it is computed.
    const int read = buffers[k] == regions.written_buffer ? regions.read_buffer : buffers[k];
    fields.push_back({executor_.buffer(buffers[k]), executor_.buffer(read),
                      executor_.pipeline()[arrays[k].array].element_bytes(), arrays[k].lists});
  }
  nodes_[static_cast<std::size_t>(node.id)].arranged.push_back(
      {std::move(buffers),
       std::make_unique<Exchange>(communicator, node.id, fields, transport, executor_.mode())});
}

Exchange* PlanExchanges::find(const PlanNode& node) const {
  const auto& arrays = std::get<plan::Exchange>(node.step).arrays;
  const std::vector<int>& written = executor_.written_buffers();
  const auto is_current = [&](const Arranged& arranged) {
    return std::equal(arranged.buffers.begin(), arranged.buffers.end(), arrays.begin(),
                      [&](int buffer, const plan::ArrayMessages& messages) {
                        return buffer == written[static_cast<std::size_t>(messages.array)];
                      });
  };
  const auto& arranged = nodes_[static_cast<std::size_t>(node.id)].arranged;
  const auto found = std::find_if(arranged.begin(), arranged.end(), is_current);
  return found == arranged.end() ? nullptr : found->exchange.get();
}

void PlanExchanges::start(const PlanNode& node) {
  Exchange* messages = find(node);
  if (messages == nullptr)
    throw InternalError(fmt::format("no messages are prepared for the buffers of step {}", node.id));
  messages->start(executor_.execution());
  nodes_[static_cast<std::size_t>(node.id)].under_way = messages;
}

void PlanExchanges::finish(int node) {
  nodes_[static_cast<std::size_t>(node)].under_way->finish(executor_.execution());
}

}  // namespace tessera
