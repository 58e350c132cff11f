// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tessera/domain/error.hpp"
#include "tessera/graph/detail/execution.hpp"
#include "tessera/graph/detail/ranks.hpp"
#include "tessera/graph/transfer.hpp"

namespace tessera::graph::detail {

Worker::Worker(Execution& execution, Lane* given_lane, int given_slot)
    : lane(given_lane),
      slot(given_slot),
      execution_(execution),
      counters_(std::vector<Counters>(execution.graph().tasks.values().size())) {}

void Worker::run(Job& job) {
  Node& node = *job.node;
  if (job.input == Job::dropped_input) return execution_.discard(*this, job);
  if (job.input == Job::finish_input) return run_finish(job);
  if (node.source != nullptr) return run_source(job);
  if (node.task->kind == TaskKind::turn) return run_turn(job);
  run_body(job);
}

/// Calls the body, and counts the call. Returns what the body returns, or true if the body has thrown.
inline bool Worker::call(Job& job, Body& body, Call& call) {
  Node& node = *job.node;
  job_ = &job;
  emitted_ = 0;
  last_ = nullptr;
  const TaskId outer_task = std::exchange(running_task, node.id);
  const bool timed = execution_.is_timed();
  const std::int64_t begin = timed ? execution_.now() : 0;
  CallObserver* const observer = execution_.observer();
  if (observer != nullptr) observer->begins(to_int(node.id));
  bool result = true;
  try {
    result = body.call(*this, call);
    deliver_kept();
  } catch (...) {
    kept_.clear();
    last_.reset();
    execution_.fail(&node, job.scope);
  }
  if (observer != nullptr) observer->ends(to_int(node.id));
  running_task = outer_task;
  Counters& counted = counters(node);
  counted.calls += 1;
  if (timed) {
    const std::int64_t end = execution_.now();
    counted.busy += end - begin;
    counted.wait_place += begin - job.since;
    if (execution_.is_traced())
      trace_.push_back(
          {.task = to_int(node.id), .item = job.scope->root->ordinal, .begin = begin, .end = end});
  }
  return result;
}

Body& Worker::make_body(Node& node, int body) {
  std::unique_ptr<Body> made = node.task->make_body();
  made->start(node.task->options.on);
  return *(node.bodies[body] = std::move(made));
}

void Worker::open_group(const Job& job) {
  job.scope->hold();
  group_ = new Scope(job.scope, Scope::Kind::group, 0);
  group_->scatter = job.node->id;
  parts_ = 0;
}

/// Makes the call of a job, and then the calls of the tasks that the emitted item goes on to, as long as the
/// same thread can carry it on.
void Worker::run_body(Job& job) {
  for (;;) {
    Node& node = *job.node;
    const int number = node.take_body(slot);
    if (node.task->kind == TaskKind::scatter) open_group(job);
    Call arguments{.item = job.item, .input = job.input, .grants = job.grants.data()};
    if (!execution_.is_dropped(*job.scope)) {
      try {
        call(job, body_of(node, number), arguments);
      } catch (...) {  // The body could not be made or started.
        execution_.fail(&node, job.scope);
      }
    }
    if (arguments.item != nullptr) Item::drop(arguments.item);
    put_back_grants(job);
    Item* const last = last_.release();
    Scope* const group = std::exchange(group_, nullptr);
    const auto output = static_cast<std::size_t>(last_output_);
    const bool goes_straight = last != nullptr && node.successors[output].node != nullptr;
    // `goes_on` leaves an ordered task, because it holds the lock for the successor anyway.
    if (!goes_straight || node.ordered == nullptr) execution_.leave(node, number);
    if (group != nullptr) execution_.release(*this, group);
    if (last == nullptr) return execution_.release(*this, job.scope);
    if (!goes_straight)
      return execution_.deliver_to_readers(*this, node.task->outputs[output], last, job.scope, job.trips,
                                           true);
    if (!execution_.goes_on(*this, job, node.successors[output], last)) return;
  }
}

void Worker::run_source(Job& job) {
  Node& node = *job.node;
  bool has_more = !execution_.has_failed();
  if (has_more) try {
      Call arguments{
          .ordinal = job.scope->ordinal, .grants = job.grants.data(), .stop = &execution_.stop_source()};
      has_more = call(job, body_of(node, 0), arguments);
    } catch (...) {
      execution_.fail(&node, job.scope);
    }
  put_back_grants(job);
  Item* const last = last_.release();
  execution_.end_source_call(node, job.scope, !has_more);
  if (!has_more) return;
  if (last == nullptr)
    execution_.release(*this, job.scope);
  else if (node.successors.front().node == nullptr)
    execution_.deliver_to_readers(*this, node.task->outputs.front(), last, job.scope, 0, true);
  else if (execution_.goes_on(*this, job, node.successors.front(), last))
    run_body(job);
}

void Worker::run_turn(Job& job) {
  Node& node = *job.node;
  const int number = node.take_body(slot);
  Scope* const turn = job.scope;
  bool goes_on = true;
  try {
    Call arguments{.item = job.item};
    goes_on = call(job, body_of(node, number), arguments);
  } catch (...) {
    execution_.fail(&node, turn);
  }
  execution_.leave(node, number);
  if (turn->ordinal + 1 >= node.task->options.most) goes_on = false;
  turn->parent->hold();
  if (goes_on) {
    auto* const next = new Scope(turn->parent, Scope::Kind::turn, turn->ordinal + 1);
    execution_.deliver_to_readers(*this, node.task->outputs[1], job.item, next, job.trips, true);
  } else {
    execution_.deliver_to_readers(*this, node.task->outputs[0], job.item, turn->parent, job.trips, true);
  }
  execution_.release(*this, turn);
}

void Worker::run_finish(Job& job) {
  Node& node = *job.node;
  job_ = &job;
  emitted_ = 0;
  last_ = nullptr;
  const TaskId outer_task = std::exchange(running_task, node.id);
  CallObserver* const observer = execution_.observer();
  if (observer != nullptr) observer->begins(to_int(node.id));
  try {
    if (node.bodies[0] == nullptr) body_of(node, 0);
    for (const std::unique_ptr<Body>& body : node.bodies)
      if (body != nullptr) body->finish(*this);
  } catch (...) {
    execution_.fail(&node, job.scope);
  }
  if (observer != nullptr) observer->ends(to_int(node.id));
  running_task = outer_task;
  // No item goes on before all bodies have finished, since it may come back to one of them.
  deliver_kept();
  execution_.release(*this, job.scope);
}

void Worker::put_back(Job& job) {
  for (PoolSlot*& slot_granted : job.grants)
    if (slot_granted != nullptr) {
      slot_granted->holders.store(0);
      slot_granted->pool->give_back(std::exchange(slot_granted, nullptr));
    }
}

void Worker::emit(int output, Item* item) {
  const TaskDeclaration& task = *job_->node->task;
  const std::uint64_t bit =
      std::uint64_t(1) << (output % 64);  // Only tasks that are `single` need it, and have fewer outputs.
  const bool again = (emitted_ & bit) != 0;
  emitted_ |= bit;
  if (again && task.options.single) {
    Item::drop(item);
    throw InternalError(
        fmt::format("{} is single, but has emitted twice for {}", title(task), stamp_text(*job_->scope)));
  }
  // If the body throws, nothing that it has emitted may go on. A gather keeps the parts of a scatter anyway.
  if (job_->input == Job::finish_input || (task.options.on_error == OnError::skip && group_ == nullptr)) {
    kept_.emplace_back(output, item);
    return;
  }
  if (job_->node->holds_back && group_ == nullptr) {
    if (last_ != nullptr) deliver(last_output_, last_.release());
    return emit_last(output, item);
  }
  deliver(output, item);
}

/// Passes on an item while the body runs.
void Worker::deliver(int output, Item* item) {
  Scope* scope = job_->scope;
  if (group_ != nullptr) {
    group_->hold();
    scope = new Scope(group_, Scope::Kind::part, parts_++);
  } else {
    scope->hold();
  }
  execution_.deliver_to_readers(*this, job_->node->task->outputs[static_cast<std::size_t>(output)], item,
                                scope, job_->trips, false);
}

void Worker::deliver_kept() {
  for (auto& [output, item] : kept_) deliver(output, item.release());
  kept_.clear();
}

void Worker::emit_last(int output, Item* item) {
  last_.reset(item);
  last_output_ = output;
}

int Worker::rank_of(std::int64_t key) const {
  if (execution_.ranks() == nullptr) return 0;
  const std::int64_t size = execution_.ranks()->size();
  return static_cast<int>((key % size + size) % size);
}

int Worker::own_rank() const { return execution_.ranks() == nullptr ? 0 : execution_.ranks()->rank(); }

bool Worker::has_all_items() const { return execution_.has_all_items(); }

void Worker::send(int rank, Bytes bytes) {
  execution_.ranks()->send(rank, job_->node->id, job_->scope, job_->trips, std::move(bytes));
}

}  // namespace tessera::graph::detail
