// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tessera/domain/error.hpp"
#include "tessera/graph/detail/execution.hpp"
#include "tessera/graph/detail/ranks.hpp"
#include "tessera/graph/transfer.hpp"

namespace tessera::graph::detail {
namespace {

PoolSlot** grants_of(const Job& job) { return job.grants == nullptr ? nullptr : job.grants->data(); }

}  // namespace

Worker::Worker(Execution& execution, Lane* given_lane, int given_slot)
    : lane(given_lane), slot(given_slot), execution_(execution), counters_(execution.graph().tasks.size()) {}

void Worker::run(Job& job) {
  Node& node = *job.node;
  if (job.input == Job::dropped_input) return execution_.discard(*this, job);
  if (job.input == Job::finish_input) return run_finish(job);
  if (node.source != nullptr) return run_source(job);
  if (node.task->kind == TaskKind::turn) return run_turn(job);
  run_body(job);
}

/// Calls the body, and counts the call. Returns what the body returns, or true if the body has thrown.
bool Worker::call(Job& job, Body& body, Call& call) {
  Node& node = *job.node;
  job_ = &job;
  emitted_ = 0;
  last_ = nullptr;
  const bool tells = execution_.has_pools();
  const int outer_task = tells ? std::exchange(running_task, node.id) : -1;
  const bool timed = execution_.is_timed();
  const std::int64_t begin = timed ? execution_.now() : 0;
  bool result = true;
  try {
    result = body.call(*this, call);
    for (const auto& [output, item] : std::exchange(kept_, {})) pass_on(output, item);
  } catch (...) {
    for (const auto& [output, item] : std::exchange(kept_, {})) Item::drop(item);
    if (last_ != nullptr) Item::drop(std::exchange(last_, nullptr));
    execution_.fail(&node, job.scope);
  }
  if (tells) running_task = outer_task;
  Counters& counted = counters(node);
  counted.calls += 1;
  if (timed) {
    const std::int64_t end = execution_.now();
    counted.busy += end - begin;
    counted.wait_place += begin - job.since;
    if (execution_.is_traced()) trace_.push_back({node.id, slot, job.scope->root->ordinal, begin, end});
  }
  return result;
}

Body& Worker::body_of(Node& node, int body) {
  std::unique_ptr<Body>& place = node.bodies[static_cast<std::size_t>(body)];
  if (place == nullptr) {
    std::unique_ptr<Body> made = node.task->make_body();
    made->start(node.task->options.on);
    place = std::move(made);
  }
  return *place;
}

void Worker::run_body(Job& job) {
  Node& node = *job.node;
  const int number = execution_.take_body(*this, node);
  const bool is_scatter = node.task->kind == TaskKind::scatter;
  if (is_scatter) {
    job.scope->hold();
    group_ = new Scope(job.scope, Scope::Kind::group, 0);
    group_->region = node.id;
    parts_ = 0;
  }
  if (!execution_.is_dropped(*job.scope)) {
    try {
      Call arguments{.item = job.item, .input = job.input, .grants = grants_of(job), .stop = {}};
      call(job, body_of(node, number), arguments);
    } catch (...) {  // The body could not be made or started.
      execution_.fail(&node, job.scope);
    }
  }
  memory().drop(job.item);
  put_back_grants(job);
  Item* const last = std::exchange(last_, nullptr);
  Scope* const group = std::exchange(group_, nullptr);
  execution_.leave(node, number);
  if (group != nullptr) execution_.release(*this, group);
  if (last != nullptr)
    execution_.deliver_to_readers(*this, node.task->outputs[static_cast<std::size_t>(last_output_)], last,
                                  job.scope, job.trips, true);
  else
    execution_.release(*this, job.scope);
}

void Worker::run_source(Job& job) {
  Node& node = *job.node;
  bool has_more = !execution_.has_failed();
  if (has_more) try {
      Call arguments{
          .ordinal = job.scope->ordinal, .grants = grants_of(job), .stop = execution_.stop_token()};
      has_more = call(job, body_of(node, 0), arguments);
    } catch (...) {
      execution_.fail(&node, job.scope);
    }
  put_back_grants(job);
  Item* const last = std::exchange(last_, nullptr);
  execution_.end_source_call(this, node, job.scope, !has_more);
  if (!has_more) return;
  if (last != nullptr)
    execution_.deliver_to_readers(*this, node.task->outputs.front(), last, job.scope, 0, true);
  else
    execution_.release(*this, job.scope);
}

void Worker::run_turn(Job& job) {
  Node& node = *job.node;
  const int number = execution_.take_body(*this, node);
  Scope* const turn = job.scope;
  bool goes_on = true;
  try {
    Call arguments{.item = job.item, .stop = {}};
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
  const int outer_task = std::exchange(running_task, node.id);
  try {
    if (node.bodies.front() == nullptr) body_of(node, 0);
    for (const std::unique_ptr<Body>& body : node.bodies)
      if (body != nullptr) body->finish(*this);
  } catch (...) {
    execution_.fail(&node, job.scope);
  }
  running_task = outer_task;
  execution_.release(*this, job.scope);
}

void put_back_grants(Job& job) {
  if (job.grants == nullptr) return;
  for (PoolSlot* slot : *job.grants)
    if (slot != nullptr) {
      slot->holders.store(0);
      slot->pool->give_back(slot);
    }
  delete std::exchange(job.grants, nullptr);
}

void Worker::emit(int output, Item* item) {
  const TaskDeclaration& task = *job_->node->task;
  const std::uint64_t bit = std::uint64_t(1) << (output % 64);  // Those of a single task are fewer.
  const bool again = (emitted_ & bit) != 0;
  emitted_ |= bit;
  if (again && task.options.single) {
    Item::drop(item);
    throw InternalError(
        fmt::format("{} is single, but has emitted twice for {}", title(task), stamp_text(*job_->scope)));
  }
  // If the body throws, nothing that it has emitted may go on. A gather keeps the parts of a scatter anyway.
  if (task.options.on_error == OnError::skip && group_ == nullptr && job_->input != Job::finish_input)
    kept_.emplace_back(output, item);
  else
    pass_on(output, item);
}

void Worker::pass_on(int output, Item* item) {
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

int Worker::rank_of(std::int64_t key) const {
  if (execution_.ranks() == nullptr) return 0;
  const std::int64_t size = execution_.ranks()->size();
  return static_cast<int>((key % size + size) % size);
}

int Worker::own_rank() const { return execution_.ranks() == nullptr ? 0 : execution_.ranks()->rank(); }

void Worker::send(int rank, const Bytes& bytes) {
  execution_.ranks()->send(rank, job_->node->id, job_->scope, job_->trips, bytes);
}

}  // namespace tessera::graph::detail
