// SPDX-License-Identifier: BSD-3-Clause
// This file decides when a run ends: because all is done, because nothing can go on, or because something has
// failed.
#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"
#include "tessera/graph/detail/execution.hpp"
#include "tessera/graph/detail/ranks.hpp"

namespace tessera::graph::detail {

void Execution::check_quiet() {
  if (is_done_ || is_agreeing_ || open_roots_ > 0) return;
  for (const Node* node : sources_)
    if (!node->source->is_ended || node->source->is_pending) return;
  if (ranks_ == nullptr) return finish_next();
  is_agreeing_ = true;
  ranks_->begin_agreement();
}

void Execution::ranks_agree(bool any_has_failed) {
  if (any_has_failed) fail_elsewhere();
  const std::lock_guard lock(mutex());
  is_agreeing_ = false;
  any_has_failed ? end_run() : finish_next();
}

/// Starts the call of `finish` of the next task that has one, or ends the run.
void Execution::finish_next() {
  if (finishing_ == finish_order_.size() || (has_failed() && ranks_ == nullptr)) return end_run();
  Node& node = this->node(finish_order_[finishing_++]);
  if (has_failed()) return check_quiet();  // The other ranks may not know yet that this one has failed.
  // The call gets a scope like that of an item of the source above the task, if there is one such source.
  int region =
      graph_.flow(node.task->outputs.empty() ? node.task->inputs.front() : node.task->outputs.front()).region;
  while (graph_.region(region).parent >= 0) region = graph_.region(region).parent;
  Scope* scope = nullptr;
  if (const TaskId source = graph_.region(region).task; source != no_task) {
    scope = open_root(this->node(source));
  } else {
    scope = new Scope(nullptr, Scope::Kind::root, 0);
    ++open_roots_;
  }
  push_ready({.node = &node, .scope = scope, .input = Job::finish_input});
}

bool Execution::has_all_items() const {
  const auto skips = [](const TaskDeclaration& task) { return task.options.on_error == OnError::skip; };
  return !stop_.stop_requested() && std::ranges::none_of(graph_.tasks, skips);
}

void Execution::end_run() {
  is_done_ = true;
  seconds_ = static_cast<double>(now()) * 1e-9;
  for (const auto& lane : lanes_) lane->wake.notify_all();
  for (const auto& node : nodes_) {
    node->offer.notify_all();
    if (node->source != nullptr) node->source->room.notify_all();
  }
  main_wake_.notify_all();
}

/// Finds out whether items are under way although no thread has anything to do.
void Execution::check_stuck() {
  if (is_done_ || ranks_ != nullptr || open_roots_ == 0 || !is_idle() || may_get_buffers()) return;
  for (const auto& node : nodes_) {
    const Source* const source = node->task->kind == TaskKind::input ? node->source.get() : nullptr;
    const bool may_get_more = source != nullptr && !source->is_ended && source->in_flight < source->window;
    if (may_get_more || !node->offered.empty()) return;
  }
  find_buffers();
}

bool Execution::may_get_buffers() const {
  if (is_abandoned_) return false;
  return popping_ > 0 || std::ranges::any_of(pool_waiters_, [](const Job& job) {
           return std::ranges::any_of(job.node->pools,
                                      [](const PoolState* pool) { return pool->is_held_outside(); });
         });
}

bool Execution::is_idle() const {
  return running_ == 0 && std::ranges::all_of(lanes_, [](const auto& lane) { return lane->ready.empty(); });
}

void Execution::resolve_stuck() {
  const std::lock_guard lock(mutex());
  if (is_idle() && !pool_waiters_.empty()) find_buffers();
}

/// Gives buffers to jobs that wait although nothing is under way, or ends the run.
void Execution::find_buffers() {
  if (pool_waiters_.empty()) return fail_with(std::make_exception_ptr(InternalError("the graph is stuck")));
  grant_waiting(false);
  if (is_idle()) fail_with(std::make_exception_ptr(InputError(stuck_message())));
}

std::string Execution::stuck_message() const {
  const Job& job = pool_waiters_.front();
  for (const PoolState* pool : job.node->pools) {
    if (pool->free_count() >= std::ranges::count(job.node->pools, pool)) continue;
    const auto [task, held] = pool->greatest_holder();
    const std::string holder = task != no_task ? title(graph_.task(task)) : "the caller";
    return fmt::format(
        "pool '{}' is too small: {} of {} are held by {}, '{}' waits for {}; raise graph.{}.count",
        pool->name, held, pool->count, holder, job.node->task->name, stamp_text(*job.scope), pool->name);
  }
  return fmt::format("'{}' waits for {} although its buffers are free", job.node->task->name,
                     stamp_text(*job.scope));
}

void Execution::fail_input(const std::string& message) {
  const std::lock_guard lock(mutex());
  fail_with(std::make_exception_ptr(InputError(message)));
}

void Execution::fail_elsewhere() {
  const std::lock_guard lock(mutex());
  fail_with(nullptr);
}

void Execution::end_work() {
  --running_;
  check_stuck();
}

void Execution::fail(Node* node, Scope* scope) {
  const std::lock_guard lock(mutex());
  if (has_failed()) return;
  if (node->task->options.on_error == OnError::stop) return fail_with(std::current_exception());
  if (scope->root->is_skipped.exchange(true)) return;
  SkippedItem skipped{node->task->name, scope->root->ordinal, stamp_text(*scope), "unknown exception"};
  try {
    throw;
  } catch (const std::exception& error) {
    skipped.reason = error.what();
  } catch (...) {  // Exceptions of other types have no text, so the reason stays as it is.
  }
  skipped_.push_back(std::move(skipped));
}

/// Ends the run with `error`, which is null if another rank has failed. Jobs that wait are dropped.
void Execution::fail_with(std::exception_ptr error) {
  if (has_failed()) return;
  error_ = std::move(error);
  has_failed_ = true;
  stop_.request_stop();
  if (ranks_ != nullptr) ranks_->tell_all(true);
  std::vector<Job> dropped = std::exchange(pool_waiters_, {});
  for (const auto& node : nodes_) {
    if (node->source != nullptr) {
      node->source->is_ended = true;
      node->source->room.notify_all();
    }
    for (const Job& job : std::exchange(node->offered, {})) dropped.push_back(job);
    if (node->ordered == nullptr) continue;
    for (auto& [ordinal, slot] : std::exchange(node->ordered->slots, {}))
      for (const Job& job : slot.arrived) {
        job.scope->unpark();
        dropped.push_back(job);
      }
  }
  for (const Job& job : dropped) push_dropped(job);
  check_quiet();
}

}  // namespace tessera::graph::detail
