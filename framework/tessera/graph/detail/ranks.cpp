// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/detail/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"

namespace tessera::graph::detail {
namespace {

constexpr int message_tag = 1;
/// The longest time between two looks for messages.
constexpr std::chrono::microseconds longest_pause(200);
/// The shortest time between two questions to all ranks about their state.
constexpr std::chrono::milliseconds query_interval(20);

/// Receives the message that was found.
std::vector<std::byte> receive_found(MPI_Message& message, MPI_Status& status) {
  MPI_Count count = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &count);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  const LargeMessage described(count);
  MPI_Mrecv(bytes.data(), described.count(), described.type(), &message, MPI_STATUS_IGNORE);
  return bytes;
}

std::uint64_t id_of(const Scope* scope) { return reinterpret_cast<std::uint64_t>(scope); }
Scope* scope_with(std::uint64_t id) { return reinterpret_cast<Scope*>(id); }

}  // namespace

Ranks::Ranks(Execution& execution, MPI_Comm communicator)
    : execution_(execution),
      communicator_(communicator),
      rank_(communicator_.rank()),
      size_(communicator_.size()),
      worker_(execution, nullptr, 0),
      sent_to_(static_cast<std::size_t>(size_)),
      received_from_(static_cast<std::size_t>(size_)) {
  int granted = MPI_THREAD_SINGLE;
  MPI_Query_thread(&granted);
  if (granted < MPI_THREAD_SERIALIZED)
    throw InputError(fmt::format(
        "graph '{}' runs on {} ranks, but MPI was started without threads: ask MPI_Init_thread for "
        "MPI_THREAD_SERIALIZED or more",
        execution.graph().name, size_));
  check_equal_graphs();
  for (const TaskDeclaration& task : execution.graph().tasks)
    receivers_.push_back(task.kind == TaskKind::send ? task.make_body() : nullptr);
}

Ranks::~Ranks() {
  join();
  for (const auto& [key, scope] : stand_ins_) delete scope;
}

void Ranks::start() {
  thread_ = std::jthread([this] { run(); });
}

void Ranks::join() {
  if (thread_.joinable()) thread_.join();
}

void Ranks::run() {
  std::chrono::microseconds pause(1);
  for (;;) {
    const bool has_sent = send_waiting();
    const bool has_received = receive();
    const bool has_agreed = finish_agreement();
    if (has_sent || has_received || has_agreed) {
      pause = std::chrono::microseconds(1);
    } else {
      pause = std::min(2 * pause, longest_pause);
      if (rank_ == 0) ask_states();
    }
    std::unique_lock lock(queue_mutex_);
    if (execution_.is_done() && queue_.empty()) break;
    if (queue_.empty() && !wants_agreement_) queue_wake_.wait_for(lock, pause);
  }
  receive_rest();
}

/// Throws InputError if the graphs of the ranks differ in something other than settings.
void Ranks::check_equal_graphs() const {
  const std::int64_t own = static_cast<std::int64_t>(hash(execution_.graph()) >> 1);
  std::int64_t extremes[2] = {own, -own};
  MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT64_T, MPI_MIN, communicator());
  if (extremes[0] != -extremes[1])
    throw InputError(fmt::format("graph '{}' differs between ranks: build the same graph on all of them",
                                 execution_.graph().name));
}

/// Receives the messages that nobody needs any more, so that none is left when the communicator is freed. A
/// send of this rank may not end before the receiving rank comes here, too.
void Ranks::receive_rest() {
  IdVector<int, std::int64_t> expected(sent_to_.values().size());
  MPI_Alltoall(sent_to_.values().data(), 1, MPI_INT64_T, expected.values().data(), 1, MPI_INT64_T,
               communicator());
  for (const int from : expected.ids())
    for (; received_from_[from] < expected[from]; ++received_from_[from]) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      MPI_Mprobe(from, message_tag, communicator(), &message, &status);
      receive_found(message, status);
    }
  for (Outgoing& message : sending_) MPI_Wait(&message.request, MPI_STATUS_IGNORE);
}

// --- Sending -----------------------------------------------------------------------------------------

void Ranks::post(int to, Bytes bytes) {
  const std::lock_guard lock(queue_mutex_);
  queue_.push_back({to, std::move(bytes).release()});
  queue_wake_.notify_one();
}

bool Ranks::send_waiting() {
  std::deque<Outgoing> waiting;
  {
    const std::lock_guard lock(queue_mutex_);
    waiting.swap(queue_);
    if (wants_agreement_) {
      wants_agreement_ = false;
      is_agreeing_ = true;
      own_failure_ = execution_.has_failed() ? 1 : 0;
      MPI_Iallreduce(&own_failure_, &any_failure_, 1, MPI_INT, MPI_MAX, communicator(), &agreement_);
    }
  }
  for (Outgoing& message : waiting) {
    sending_.push_back(std::move(message));
    Outgoing& kept = sending_.back();
    ++sent_to_[kept.to];
    const LargeMessage described(static_cast<std::int64_t>(kept.bytes.size()));
    MPI_Isend(kept.bytes.data(), described.count(), described.type(), kept.to, message_tag, communicator(),
              &kept.request);
  }
  std::erase_if(sending_, [](Outgoing& message) {
    int is_complete = 0;
    MPI_Test(&message.request, &is_complete, MPI_STATUS_IGNORE);
    return is_complete != 0;
  });
  return !waiting.empty();
}

void Ranks::send(int to, TaskId task, Scope* scope, std::uint32_t trips, Bytes payload) {
  std::vector<PathStep> path;
  for (Scope* at = scope; at != nullptr; at = at->parent) {
    at->hold();
    const bool is_own = at->home < 0;
    path.push_back({is_own ? rank_ : at->home, is_own ? id_of(at) : at->home_scope, id_of(at), at->kind,
                    at->ordinal, at->root->source, at->root->age});
  }
  std::ranges::reverse(path);
  Bytes bytes = packed_values(Kind::item, task, trips, path);
  bytes.write(payload.all().data(), payload.all().size());
  payload = Bytes();
  {
    const std::lock_guard lock(execution_.mutex());
    ++sent_;
  }
  post(to, std::move(bytes));
}

void Ranks::tell_closed(int to, std::uint64_t scope, bool is_skipped) {
  ++sent_;
  post(to, packed_values(Kind::closed, scope, is_skipped, execution_.has_failed()));
}

void Ranks::tell_all(bool has_failed) {
  if (has_failed && std::exchange(has_told_failure_, true)) return;
  for (int to = 0; to < size_; ++to)
    if (to != rank_) post(to, packed_values(has_failed ? Kind::failed : Kind::stop));
}

// --- Receiving ---------------------------------------------------------------------------------------

bool Ranks::receive() {
  int has_message = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Improbe(MPI_ANY_SOURCE, message_tag, communicator(), &has_message, &message, &status);
  if (has_message == 0) return false;
  Bytes bytes(receive_found(message, status));
  const int from = status.MPI_SOURCE;
  ++received_from_[from];
  switch (Transfer<Kind>::unpack(bytes)) {
    case Kind::item:
      take_item(from, bytes);
      break;
    case Kind::closed:
      take_closed(bytes);
      break;
    case Kind::stop:
      execution_.stop_here();
      break;
    case Kind::failed:
      execution_.fail_elsewhere();
      break;
    case Kind::query:
      post(from, packed_values(Kind::state, own_state(Transfer<std::int64_t>::unpack(bytes))));
      break;
    case Kind::state:
      take_state(from, Transfer<State>::unpack(bytes));
      break;
    case Kind::resolve:
      execution_.resolve_stuck();
      break;
  }
  return true;
}

void Ranks::take_item(int from, Bytes& bytes) {
  const auto task = Transfer<TaskId>::unpack(bytes);
  const auto trips = Transfer<std::uint32_t>::unpack(bytes);
  const auto path = Transfer<std::vector<PathStep>>::unpack(bytes);
  Scope* scope = nullptr;
  {
    const std::lock_guard lock(execution_.mutex());
    ++received_;
    execution_.begin_work();
    for (const PathStep& step : path) scope = scope_of(from, step, scope);
  }
  try {
    Item* const item = receivers_[task]->receive(bytes);
    const int flow = execution_.graph().task(task).outputs.front();
    execution_.deliver_to_readers(worker_, flow, item, scope, trips, false);
  } catch (...) {
    execution_.fail(&execution_.node(task), scope);
    execution_.release(worker_, scope);
  }
  const std::lock_guard lock(execution_.mutex());
  execution_.end_work();
}

/// Returns the scope that a step of a path names, or its stand-in on this rank, with one hold for the caller.
/// `parent` is the scope of the step before; the caller's hold of `parent` is given up.
Scope* Ranks::scope_of(int from, const PathStep& step, Scope* parent) {
  Scope* scope = nullptr;
  const Key key(step.home, step.home_scope);
  if (step.home == rank_) {
    scope = scope_with(step.home_scope);
  } else if (const auto found = stand_ins_.find(key); found != stand_ins_.end()) {
    scope = found->second;
  } else {
    scope = new Scope(parent, step.kind, step.ordinal);
    scope->home = step.home;
    scope->home_scope = step.home_scope;
    scope->engaged_by = from;
    scope->engaged_scope = step.sender_scope;
    scope->source = parent == nullptr ? step.source : no_task;
    scope->age = step.age;
    stand_ins_[key] = scope;
    if (parent == nullptr) ages_.insert(scope->age);
    return scope;
  }
  scope->hold();
  if (scope->home >= 0 && scope->engaged_by < 0) {
    scope->engaged_by = from;
    scope->engaged_scope = step.sender_scope;
  } else {
    tell_closed(from, step.sender_scope, false);
  }
  // The scope holds its parent, so this hold is never the last one.
  std::int64_t parked = 0;
  if (parent != nullptr) parent->release(1, parked);
  return scope;
}

void Ranks::take_closed(Bytes& bytes) {
  Scope* const scope = scope_with(Transfer<std::uint64_t>::unpack(bytes));
  const bool is_skipped = Transfer<bool>::unpack(bytes);
  const bool has_failed = Transfer<bool>::unpack(bytes);
  if (is_skipped) scope->root->is_skipped = true;
  if (has_failed) execution_.fail_elsewhere();
  {
    const std::lock_guard lock(execution_.mutex());
    ++received_;
    execution_.begin_work();
  }
  execution_.release(worker_, scope);
  const std::lock_guard lock(execution_.mutex());
  execution_.end_work();
}

Scope* Ranks::close_stand_in(const Key& key) {
  const auto found = stand_ins_.find(key);
  if (found == stand_ins_.end() || !found->second->is_settled()) return nullptr;
  Scope* const scope = found->second;
  if (scope->engaged_by >= 0)
    tell_closed(std::exchange(scope->engaged_by, -1), scope->engaged_scope, scope->root->is_skipped);
  // Items may wait here for other items of their stamp, which may still come from other ranks.
  const bool waits =
      std::ranges::any_of(scope->partials, [](const Partial& one) { return one.joined != nullptr; });
  if (waits && !execution_.has_failed()) return nullptr;
  stand_ins_.erase(found);
  if (scope->parent == nullptr) ages_.erase(ages_.find(scope->age));
  return scope;
}

std::uint64_t Ranks::oldest_age() const { return ages_.empty() ? ~std::uint64_t(0) : *ages_.begin(); }

// --- Agreement ---------------------------------------------------------------------------------------

void Ranks::begin_agreement() {
  const std::lock_guard lock(queue_mutex_);
  wants_agreement_ = true;
  queue_wake_.notify_one();
}

bool Ranks::finish_agreement() {
  if (!is_agreeing_) return false;
  int is_complete = 0;
  MPI_Test(&agreement_, &is_complete, MPI_STATUS_IGNORE);
  if (is_complete == 0) return false;
  is_agreeing_ = false;
  execution_.ranks_agree(any_failure_ != 0);
  return true;
}

Ranks::State Ranks::own_state(std::int64_t query) const {
  const std::lock_guard lock(execution_.mutex());
  return {query, execution_.is_idle(), execution_.waits_for_buffers(), sent_, received_};
}

/// Asks all ranks for their states if rank 0, which calls this function, has been idle for a while.
void Ranks::ask_states() {
  const auto now = std::chrono::steady_clock::now();
  if (now - asked_ < query_interval) return;
  asked_ = now;
  states_ = IdVector<int, State>(sent_to_.values().size());
  states_[0] = own_state(++query_);
  if (!states_[0].is_idle) return;
  for (int to = 1; to < size_; ++to) post(to, packed_values(Kind::query, query_));
}

/// Takes the answer of a rank. When all ranks have answered, finds out whether all of them are idle, no
/// message is under way, and some rank waits for buffers. That is so if as many messages were sent as
/// received, and two questions in a row have got the same answers (F. Mattern, "Algorithms for distributed
/// termination detection", Distributed Computing 2, 1987).
void Ranks::take_state(int from, const State& state) {
  if (state.query != query_) return;
  states_[from] = state;
  std::int64_t sent = 0, received = 0;
  int waiting = -1;
  for (const int rank : states_.ids()) {
    const State& other = states_[rank];
    if (other.query != query_ || !other.is_idle) return;
    sent += other.sent;
    received += other.received;
    if (other.waits && waiting < 0) waiting = rank;
  }
  for (State& other : states_) other.query = 0;
  const bool is_same = std::exchange(last_states_, states_) == states_;
  if (!is_same || sent != received || waiting < 0) return;
  last_states_.clear();
  if (waiting == 0) return execution_.resolve_stuck();
  post(waiting, packed_values(Kind::resolve));
}

// --- Without a run --------------------------------------------------------------------------------------

Bytes broadcast(MPI_Comm communicator, const Bytes& bytes, int root) {
  std::vector<std::byte> all = bytes.all();
  auto size = static_cast<std::int64_t>(all.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, root, communicator);
  all.resize(static_cast<std::size_t>(size));
  const LargeMessage message(size);
  MPI_Bcast(all.data(), message.count(), message.type(), root, communicator);
  return Bytes(all);
}

}  // namespace tessera::graph::detail
