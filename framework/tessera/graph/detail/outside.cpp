// SPDX-License-Identifier: BSD-3-Clause
// This file has what threads outside of a run do: they push items at inputs, and take items from outputs.
#include "tessera/domain/error.hpp"
#include "tessera/graph/detail/execution.hpp"

namespace tessera::graph::detail {

/// Drops the items that wait to be taken, now and later.
void Execution::abandon() {
  const std::lock_guard lock(mutex());
  is_abandoned_ = true;
  for (const auto& node : nodes_)
    for (const Job& job : std::exchange(node->offered, {})) push_dropped(job);
}

Node& Execution::input_of(int flow) {
  Node& input = node(graph_.flow(flow).producer);
  if (input.task->kind != TaskKind::input)
    throw InputError("items are pushed at " + title(*input.task) + ", which is no input");
  return input;
}

bool Execution::push(int flow, Item* item) {
  Node* input = nullptr;
  try {
    input = &input_of(flow);
  } catch (...) {
    Item::drop(item);
    throw;
  }
  Node& node = *input;
  Scope* scope = nullptr;
  {
    std::unique_lock lock(mutex());
    Source& source = *node.source;
    source.room.wait(lock,
                     [&] { return source.is_ended || has_failed() || source.in_flight < source.window; });
    if (source.is_ended || has_failed()) {
      lock.unlock();
      Item::drop(item);
      return false;
    }
    begin_work();
    scope = open_root(node);
  }
  deliver_to_readers(guest(node), flow, item, scope, 0, false);
  const std::lock_guard lock(mutex());
  end_work();
  return true;
}

void Execution::close(int flow) {
  const std::lock_guard lock(mutex());
  close_source(input_of(flow));
  check_quiet();
  check_stuck();
}

Item* Execution::pop(int flow) {
  Node* node = nullptr;
  for (const Reader& reader : graph_.flow(flow).readers)
    if (graph_.task(reader.task).kind == TaskKind::output) node = &this->node(reader.task);
  if (node == nullptr) throw InternalError("items are taken from a flow without an output");
  std::unique_lock lock(mutex());
  node->offer.wait(lock, [&] { return is_done_ || !node->offered.empty(); });
  if (node->offered.empty()) return nullptr;
  const Job job = node->offered.front();
  node->offered.pop_front();
  ++popping_;
  lock.unlock();
  release(guest(*node), job.scope);
  return job.item;
}

void Execution::drop_popped(Item* item) {
  Item::drop(item);
  const std::lock_guard lock(mutex());
  --popping_;
  check_stuck();
}

}  // namespace tessera::graph::detail
