// SPDX-License-Identifier: BSD-3-Clause
// This file decides when a job runs. A job waits for its turn, for buffers and for a body. The functions
// about sources are here, too.
#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"
#include "tessera/graph/detail/execution.hpp"
#include "tessera/graph/detail/ranks.hpp"

namespace tessera::graph::detail {

void Execution::proceed(Job& job, Stage stage, Worker* carrier) {
  Node& to = *job.node;
  if (has_failed()) return push_dropped(job);
  if (stage == Stage::order && to.ordered != nullptr) return arrive(job, carrier);
  if (stage != Stage::body && !to.pools.empty() && !(pool_waiters_.empty() && grant(job, true))) {
    pool_waiters_.insert(
        std::ranges::upper_bound(pool_waiters_, job,
                                 [](const Job& a, const Job& b) { return is_less_urgent(b, a); }),
        job);
    return grant_waiting(true);
  }
  if (to.task->kind == TaskKind::output) return offer(job);
  if (!to.admits(job)) return;
  carrier != nullptr ? carrier->carry(job) : push_ready(job);
}

void Execution::push_ready(const Job& job) {
  Lane& lane = *job.node->lane;
  lane.push(job);
  if (&lane != kernels_ || is_rehearsal()) return;
  is_paused_ = true;
  if (running_pausable_ == 0) main_wake_.notify_all();
}

void Execution::push_dropped(Job job) {
  job.input = Job::dropped_input;
  push_ready(job);
}

void Execution::discard(Worker& worker, Job& job) {
  if (job.item != nullptr) Item::drop(job.item);
  worker.put_back_grants(job);
  if (job.node->source != nullptr)
    end_source_call(*job.node, job.scope, true);
  else
    release(worker, job.scope);
}

void Execution::offer(const Job& job) {
  if (job.node->ordered != nullptr) job.node->ordered->is_busy = false;
  if (is_abandoned_) return push_dropped(job);
  job.node->offered.push_back(job);
  job.node->offer.notify_one();
}

// --- Order -------------------------------------------------------------------------------------------

void Execution::leave_limited(Node& node, int body) {
  Job next;
  if (node.ordered == nullptr && !node.free_body(body, next)) return;
  const std::lock_guard lock(mutex());
  node.ordered != nullptr ? leave_ordered(node) : push_ready(next);
}

void Execution::leave_ordered(Node& node) {
  node.ordered->is_busy = false;
  advance(node);
}

bool Execution::goes_on_in_order(Worker& worker, Job& job, Node& from) {
  const std::lock_guard lock(mutex());
  if (from.ordered != nullptr) leave_ordered(from);
  proceed(job, Stage::order, &worker);
  return false;
}

void Execution::arrive(Job& job, Worker* carrier) {
  Ordered& ordered = *job.node->ordered;
  Scope* const scope = job.scope;
  if (scope->home >= 0 || scope->ordinal < ordered.next) {
    fail_with(std::make_exception_ptr(InputError(
        scope->home >= 0
            ? fmt::format("{} is ordered, but gets {} on another rank than the source: send its items back",
                          title(*job.node->task), stamp_text(*scope))
            : fmt::format("{} is ordered, but gets {} twice", title(*job.node->task), stamp_text(*scope)))));
    return push_dropped(job);
  }
  if (ordered.sources.size() == 1 && !ordered.is_busy && ordered.next == scope->ordinal) {
    Node& to = *job.node;
    ++ordered.next;
    if (!ordered.slots.empty()) ordered.slots.erase(scope->ordinal);
    ordered.is_busy = true;
    proceed(job, Stage::pools, carrier);
    return advance(to);
  }
  Ordered::Slot& slot = ordered.slots[scope->ordinal];
  slot.arrived.insert(std::ranges::upper_bound(slot.arrived, job.input, {}, &Job::input), job);
  slot.known |= std::uint32_t(1) << job.input;
  const TaskId source = scope->source;
  const std::int64_t ordinal = scope->ordinal;
  std::int64_t parked = 0;
  const bool is_last = scope->park(parked) == 0;
  advance(*job.node);
  if (is_last) settle_parked(source, ordinal);
}

/// Starts the items whose turn it is at an ordered task.
void Execution::advance(Node& node) {
  Ordered& ordered = *node.ordered;
  if (ordered.is_busy || ordered.slots.empty()) return;
  while (!ordered.is_busy) {
    const std::int64_t ordinal = ordered.next;
    const auto found = ordered.slots.find(ordinal);
    if (found == ordered.slots.end()) return;
    Ordered::Slot& slot = found->second;
    for (std::size_t input = 0; input < ordered.sources.size(); ++input) {
      const Source& source = *ordered.sources[input]->source;
      // Unless everything at this input is known, something of the item may still come.
      const bool is_known = (slot.known >> input & 1) != 0;
      if (!is_known && (!source.is_ended || source.is_pending || ordinal < source.next)) return;
    }
    if (slot.arrived.empty()) {
      ordered.slots.erase(found);
      ++ordered.next;
      continue;
    }
    Job job = slot.arrived.front();
    slot.arrived.erase(slot.arrived.begin());
    if (is_timed()) node.wait_order += now() - job.since;
    ordered.is_busy = true;
    job.scope->unpark();
    proceed(job, Stage::pools);
  }
}

/// Notes that nothing of an item of a source is under way except what waits at ordered tasks. Then the first
/// of these tasks knows that nothing more of the item will come. If another thread has let the item go on in
/// the meantime, this function leaves the item to that thread.
void Execution::settle_parked(TaskId source, std::int64_t ordinal) {
  const std::vector<Node*>& readers = ordered_by_source_[source];
  const auto waits_at = [&](const Node* reader) -> const Scope* {
    const auto slot = reader->ordered->slots.find(ordinal);
    if (slot == reader->ordered->slots.end()) return nullptr;
    const auto found =
        std::ranges::find(slot->second.arrived, source, [](const Job& job) { return job.scope->source; });
    return found == slot->second.arrived.end() ? nullptr : found->scope;
  };
  const auto first =
      std::ranges::find_if(readers, [&](const Node* reader) { return waits_at(reader) != nullptr; });
  if (first == readers.end() || !waits_at(*first)->is_settled()) return;
  for (auto reader = readers.begin(); reader != first + 1; ++reader) note_complete(**reader, source, ordinal);
}

/// Notes that an ordered task has got everything of an item of a source that will come.
void Execution::note_complete(Node& reader, TaskId source, std::int64_t ordinal) {
  Ordered& ordered = *reader.ordered;
  if (ordered.next > ordinal) return;
  for (std::size_t input = 0; input < ordered.sources.size(); ++input)
    if (ordered.sources[input]->id == source) ordered.slots[ordinal].known |= std::uint32_t(1) << input;
  advance(reader);
}

// --- Pools -------------------------------------------------------------------------------------------

/// Takes the buffers of a job, and returns true, if all of them are free. If `reserves` is true, as many
/// buffers stay free as the oldest item may still need.
bool Execution::grant(Job& job, bool reserves) {
  const std::uint64_t oldest = reserves ? oldest_age() : job.age();
  const std::vector<PoolState*>& pools = job.node->pools;
  for (const PoolState* pool : pools) {
    const auto wanted = static_cast<int>(std::ranges::count(pools, pool));
    if (!pool->may_grant(wanted, job.age(), oldest)) return false;
  }
  for (std::size_t i = 0; i < pools.size(); ++i) job.grants[i] = pools[i]->take(job.age());
  if (is_timed() && job.since > 0) {
    const std::int64_t time = now();
    job.node->wait_pool += time - job.since;
    job.since = time;
  }
  return true;
}

/// Gives buffers to the jobs that wait for them, the oldest first. A pool that an older job waits for gives
/// no buffers to younger jobs.
void Execution::grant_waiting(bool reserves) {
  if (pool_waiters_.empty()) return;
  std::vector<const PoolState*> blocked;
  std::vector<Job> granted;
  std::erase_if(pool_waiters_, [&](Job& job) {
    const auto& pools = job.node->pools;
    const bool waits = std::ranges::any_of(
        pools, [&](const PoolState* pool) { return std::ranges::find(blocked, pool) != blocked.end(); });
    if (!waits && grant(job, reserves)) {
      granted.push_back(job);
      return true;
    }
    blocked.insert(blocked.end(), pools.begin(), pools.end());
    return false;
  });
  for (Job& job : granted) proceed(job, Stage::body);
}

std::uint64_t Execution::oldest_age() const {
  std::uint64_t oldest = ~std::uint64_t(0);
  for (const Node* node : sources_)
    if (node->source->first_open < node->source->next)
      oldest = std::min(oldest, age_of(*node, node->source->first_open));
  return ranks_ == nullptr ? oldest : std::min(oldest, ranks_->oldest_age());
}

// --- Sources -----------------------------------------------------------------------------------------

// Ages are ordered by the ordinals of items, and then by their sources, whose numbers take the last 12 bits.
std::uint64_t Execution::age_of(const Node& source, std::int64_t ordinal) {
  return static_cast<std::uint64_t>(ordinal) << 12 | static_cast<std::uint64_t>(to_int(source.id));
}

Scope* Execution::open_root(Node& node) {
  Source& source = *node.source;
  auto* const scope = new Scope(nullptr, Scope::Kind::root, source.next++);
  scope->source = node.id;
  scope->age = age_of(node, scope->ordinal);
  ++source.in_flight;
  source.closed.push_back(false);
  most_open_roots_ = std::max(most_open_roots_, ++open_roots_);
  return scope;
}

void Execution::start_source(Node& node) {
  Source& source = *node.source;
  if (source.is_ended || source.is_pending) return;
  if (has_failed() || stop_.stop_requested()) return close_source(node);
  if (source.in_flight >= source.window) return;
  source.is_pending = true;
  Job job{.node = &node, .scope = open_root(node)};
  if (is_timed()) job.since = now();
  proceed(job, Stage::pools);
}

void Execution::close_source(Node& node) {
  node.source->is_ended = true;
  for (Node* reader : ordered_by_source_[node.id]) advance(*reader);
}

void Execution::end_source_call(Node& node, Scope* scope, bool is_ended) {
  Source& source = *node.source;
  const std::lock_guard lock(mutex());
  source.is_pending = false;
  if (node.lane->needs_time()) node.lane->note_time(now());
  if (!is_ended) return start_source(node);
  --source.next;
  --source.in_flight;
  source.closed.pop_back();
  --open_roots_;
  delete scope;
  close_source(node);
  grant_waiting(true);
  check_quiet();
}

}  // namespace tessera::graph::detail
