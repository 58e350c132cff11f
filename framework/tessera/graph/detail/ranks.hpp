// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "tessera/graph/detail/execution.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace tessera::graph::detail {

/// The part of a run that speaks with other ranks. One thread of its own makes all calls of MPI.
///
/// A scope that has items on another rank has a stand-in there. The sender of the item that the stand-in was
/// made for holds the scope until the stand-in has closed, so that a scope is closed exactly when nothing of
/// it is under way on any rank. This is the algorithm of Dijkstra and Scholten ("Termination detection for
/// diffusing computations", Information Processing Letters 11, 1980). A rank whose own sources have ended,
/// and whose own scopes are closed, takes part in a nonblocking reduction. It serves the others until the
/// reduction completes.
class Ranks {
 public:
  /// Copies the communicator. Collective. Throws InputError if the graphs of the ranks differ, or if MPI was
  /// started without threads.
  Ranks(Execution& execution, MPI_Comm communicator);
  ~Ranks();

  /// Returns the number of this rank.
  int rank() const { return rank_; }
  /// Returns the number of ranks.
  int size() const { return size_; }
  /// Returns the copy of the communicator.
  MPI_Comm communicator() const { return communicator_.handle(); }
  /// Starts the thread that makes the calls.
  void start();
  /// Waits for the end of the thread that makes the calls. It ends when the run does.
  void join();

  // Workers call this function without the lock of the run.
  /// Sends an item of the task `task`, packed in `payload`, to the rank `to`.
  void send(int to, TaskId task, Scope* scope, std::uint32_t trips, Bytes payload);

  // The lock of the run must be held for these functions.
  /// Says that this rank has closed all scopes of its own sources. When all ranks have,
  /// `Execution::ranks_agree` is called.
  void begin_agreement();
  /// Tells all other ranks to stop their sources. If `has_failed` is true, tells them that this rank has
  /// failed.
  void tell_all(bool has_failed);
  /// The name of a stand-in: the rank of its scope, and the number of the scope there.
  using Key = std::pair<int, std::uint64_t>;
  /// If the stand-in has no holds left, tells the rank that it was made for, and forgets the stand-in.
  /// Returns the scope, which the caller destroys without the lock. Returns null if the stand-in is still
  /// needed.
  Scope* close_stand_in(const Key& key);
  /// Returns the age of the oldest item of other ranks that has a stand-in here. Returns the greatest number
  /// if there is none.
  std::uint64_t oldest_age() const;

 private:
  /// The kinds of messages. `item` brings an item, and `closed` says that a stand-in has no holds left.
  /// `query` asks a rank for its State, which is the answer. `resolve` says that all ranks wait for buffers.
  enum class Kind : std::uint8_t { item, closed, stop, failed, query, state, resolve };
  /// A message that waits to be sent, or is being sent.
  struct Outgoing {
    int to = 0;
    std::vector<std::byte> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  /// One of the scopes of an item that is sent: its rank and its number there, and its number on the sender.
  struct PathStep {
    int home = 0;
    std::uint64_t home_scope = 0;
    std::uint64_t sender_scope = 0;
    Scope::Kind kind = Scope::Kind::root;
    std::int64_t ordinal = 0;
    TaskId source = no_task;
    std::uint64_t age = 0;
  };
  /// The state of a rank, which it tells rank 0, to find out whether all ranks wait for buffers.
  struct State {
    /// The number of the query that this is the answer to.
    std::int64_t query = 0;
    bool is_idle = false;
    bool waits = false;
    std::int64_t sent = 0;
    std::int64_t received = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  void run();
  void check_equal_graphs() const;
  bool receive();
  void receive_rest();
  bool send_waiting();
  bool finish_agreement();
  void post(int to, Bytes bytes);
  void take_item(int from, Bytes& bytes);
  Scope* scope_of(int from, const PathStep& step, Scope* parent);
  void take_closed(Bytes& bytes);
  void tell_closed(int to, std::uint64_t scope, bool is_skipped);
  void take_state(int from, const State& state);
  void ask_states();
  State own_state(std::int64_t query) const;

  Execution& execution_;
  Communicator communicator_;
  int rank_ = 0, size_ = 1;
  Worker worker_;
  IdVector<TaskId, std::unique_ptr<Body>> receivers_;
  std::map<Key, Scope*> stand_ins_;
  std::multiset<std::uint64_t> ages_;

  std::mutex queue_mutex_;
  std::condition_variable queue_wake_;
  std::deque<Outgoing> queue_;
  std::deque<Outgoing> sending_;
  bool wants_agreement_ = false;
  bool is_agreeing_ = false;
  int own_failure_ = 0, any_failure_ = 0;
  MPI_Request agreement_ = MPI_REQUEST_NULL;
  bool has_told_failure_ = false;

  /// The numbers of messages of the kinds `item` and `closed`, which can give a rank something to do.
  std::int64_t sent_ = 0, received_ = 0;
  /// The numbers of messages of all kinds, by rank.
  IdVector<int, std::int64_t> sent_to_, received_from_;
  std::int64_t query_ = 0;
  IdVector<int, State> states_, last_states_;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
  std::jthread thread_;
};

}  // namespace tessera::graph::detail
