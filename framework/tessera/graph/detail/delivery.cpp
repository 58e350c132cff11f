// SPDX-License-Identifier: BSD-3-Clause
// The way of an item to the tasks that read it, the closing of scopes, and threads outside of a run.
#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"
#include "tessera/graph/detail/execution.hpp"
#include "tessera/graph/detail/ranks.hpp"
#include "tessera/graph/typed_body.hpp"

namespace tessera::graph::detail {

void Execution::deliver_to_readers(Worker& worker, int flow, Item* item, Scope* scope, std::uint32_t trips,
                                   bool may_carry) {
  const std::vector<Reader>& readers = graph_.flow(flow).readers;
  if (readers.empty()) {
    Item::drop(item);
    return release(worker, scope);
  }
  const int more = static_cast<int>(readers.size()) - 1;
  if (more > 0) {
    item->hold(more);
    scope->hold(more);
  }
  for (const Reader& reader : readers) deliver(worker, reader, item, scope, trips, may_carry);
}

void Execution::deliver(Worker& worker, const Reader& reader, Item* item, Scope* scope, std::uint32_t trips,
                        bool may_carry) {
  Node& to = node(reader.task);
  if (is_dropped(*scope)) {
    Item::drop(item);
    return release(worker, scope);
  }
  if (!to.has_jobs) return pass_through(worker, to, item, scope, trips, may_carry);
  if (to.joins && !match(worker, to, reader.input, item, scope, trips)) return;
  const bool carries = may_carry && !worker.has_carried && worker.lane == to.lane && !is_rehearsal();
  Job other;
  Job& job = carries ? *worker.carried : other;
  job.node = &to;
  job.item = item;
  job.scope = scope;
  job.input = to.joins ? 0 : reader.input;
  job.trips = trips;
  if (is_timed()) job.since = now();
  if (to.may_wait) {
    job.grants.fill(nullptr);
    const std::lock_guard lock(mutex());
    return proceed(job, Stage::order, carries ? &worker : nullptr);
  }
  if (!to.admits(job)) return;
  if (carries) return worker.carry(job);
  const std::lock_guard lock(mutex());
  push_ready(job);
}

void Execution::pass_through(Worker& worker, Node& to, Item* item, Scope* scope, std::uint32_t trips,
                             bool may_carry) {
  if (to.task->kind == TaskKind::gather) return gather(worker, to, item, scope);
  if (to.task->kind == TaskKind::enter) scope = new Scope(scope, Scope::Kind::turn, 0);
  if (to.task->kind == TaskKind::feedback && static_cast<std::int64_t>(++trips) > trip_limit_) {
    fail_input(fmt::format("{} takes more than {} turns through feedback '{}'; raise its `most`",
                           stamp_text(*scope), trip_limit_, to.task->name));
    Item::drop(item);
    return release(worker, scope);
  }
  deliver_to_readers(worker, to.task->outputs.front(), item, scope, trips, may_carry);
}

/// Puts an item together with the items of the same stamp at the other inputs. Returns true if it was the
/// last one that was missing; then `item` becomes an item with all of them, and `trips` the greatest of
/// theirs.
bool Execution::match(Worker& worker, Node& node, int input, Item*& item, Scope* scope,
                      std::uint32_t& trips) {
  {
    const std::lock_guard lock(scope->lock);
    auto found = std::ranges::find(scope->partials, node.id, &Partial::task);
    if (found == scope->partials.end()) {
      const int inputs = static_cast<int>(node.task->inputs.size());
      scope->partials.push_back({node.id, inputs, 0, is_timed() ? now() : 0, std::make_unique<Joined>()});
      found = scope->partials.end() - 1;
    }
    Joined* const joined = found->joined.get();
    if (joined != nullptr && joined->parts[static_cast<std::size_t>(input)] == nullptr) {
      joined->parts[static_cast<std::size_t>(input)].reset(std::exchange(item, nullptr));
      found->trips = trips = std::max(found->trips, trips);
      if (--found->missing == 0) {
        if (is_timed()) worker.counters(node).wait_input += now() - found->since;
        item = found->joined.release();
        return true;
      }
    }
  }
  if (item != nullptr) {
    fail_input(fmt::format("{} gets two items for {} at one input, although what emits them is single",
                           title(*node.task), stamp_text(*scope)));
    Item::drop(item);
  }
  release(worker, scope);
  return false;
}

void Execution::gather(Worker& worker, const Node& node, Item* item, Scope* scope) {
  Scope* const group = scope->parent;
  if (group->home >= 0) {
    fail_input(fmt::format("gather '{}' gets {} on another rank than its scatter: send the parts back",
                           node.task->name, stamp_text(*scope)));
    Item::drop(item);
    return release(worker, scope);
  }
  {
    const std::lock_guard lock(group->lock);
    auto found = std::ranges::find(group->gatherings, node.id, &Gathering::task);
    if (found == group->gatherings.end()) {
      group->gatherings.push_back({node.id, {}});
      found = group->gatherings.end() - 1;
    }
    found->items.push_back({scope->ordinal, ItemHold(item)});
  }
  release(worker, scope);
}

void Execution::release(Worker& worker, Scope* scope) {
  const int home = scope->home;
  const std::uint64_t home_scope = scope->home_scope;
  const TaskId source = scope->source;
  const std::int64_t ordinal = scope->ordinal;
  std::int64_t parked = 0;
  if (scope->release(1, parked) > 0) return;
  if (home >= 0) return close_stand_in(worker, home, home_scope);
  if (parked > 0) {  // The scope may be gone by now, unless an ordered task still has its item.
    const std::lock_guard lock(mutex());
    return settle_parked(source, ordinal);
  }
  if (scope->kind == Scope::Kind::root) return close_root(scope);
  if (scope->kind == Scope::Kind::group) close_group(worker, scope);
  Scope* const parent = scope->parent;
  delete scope;
  release(worker, parent);
}

void Execution::close_stand_in(Worker& worker, int home, std::uint64_t home_scope) {
  Scope* closed = nullptr;
  {
    const std::lock_guard lock(mutex());
    closed = ranks_->close_stand_in({home, home_scope});
    // The item may have been the oldest one, and buffers stayed free for it.
    if (closed != nullptr) grant_waiting(true);
  }
  if (closed == nullptr) return;
  Scope* const parent = closed->parent;
  delete closed;
  if (parent != nullptr) release(worker, parent);
}

/// Starts the gathers of a scatter, all of whose parts have come. A gather without parts emits an empty
/// vector.
void Execution::close_group(Worker& worker, Scope* group) {
  for (const TaskId id : node(group->scatter).gathers) {
    auto collected = std::make_unique<Collected>();
    for (Gathering& gathering : group->gatherings)
      if (gathering.task == id) collected->items = std::move(gathering.items);
    std::ranges::sort(collected->items, {}, &Gathered::ordinal);
    group->parent->hold();
    if (is_dropped(*group)) {
      collected.reset();
      release(worker, group->parent);
      continue;
    }
    Job job{.node = &node(id), .item = collected.release(), .scope = group->parent};
    if (is_timed()) job.since = now();
    if (!job.node->admits(job)) continue;
    const std::lock_guard lock(mutex());
    push_ready(job);
  }
}

void Execution::close_root(Scope* scope) {
  scope->partials.clear();
  {
    const std::lock_guard lock(mutex());
    --open_roots_;
    if (finishing_ == 0) ++closed_roots_;  // Calls of `finish` are no items.
    if (scope->source != no_task) {
      for (Node* reader : ordered_by_source_[scope->source])
        note_complete(*reader, scope->source, scope->ordinal);
      Node& source = node(scope->source);
      source.source->close(scope->ordinal);
      if (source.task->kind == TaskKind::source)
        start_source(source);
      else
        source.source->room.notify_one();
    }
    grant_waiting(true);
    check_quiet();
  }
  delete scope;
}

// Threads outside of a run push items at inputs, and take items from outputs.

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
    throw InputError("items are pushed at " + title(*input.task) + ", which is not an input");
  return input;
}

bool Execution::push(int flow, ItemHold item) {
  Node& node = input_of(flow);
  Scope* scope = nullptr;
  {
    std::unique_lock lock(mutex());
    Source& source = *node.source;
    source.room.wait(lock,
                     [&] { return source.is_ended || has_failed() || source.in_flight < source.window; });
    if (source.is_ended || has_failed()) return false;
    begin_work();
    scope = open_root(node);
  }
  deliver_to_readers(guest(node), flow, item.release(), scope, 0, false);
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
