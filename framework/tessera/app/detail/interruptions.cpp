// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/interruptions.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <utility>

#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

/// The last signal that was received; 0 if there was none. It is global, because a signal handler cannot
/// access an object of StopSignals.
volatile std::sig_atomic_t last_signal = 0;

/// The seconds after a SIGTERM at which the process ends if accept() was not called. Batch systems usually
/// kill a process after a similar time. Without this limit, a rank could wait forever for a rank that has
/// ended.
constexpr unsigned seconds_to_act = 30;

void remember(int signal) {
  last_signal = signal;
  if (signal == SIGTERM) alarm(seconds_to_act);
}

/// The bytes of a count. Counts lie in cache lines of their own, so that ranks do not slow each other down.
constexpr std::int64_t bytes_of_count = 64;

}  // namespace

StopSignals::StopSignals() {
  last_signal = 0;
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, &term_before_);
  sigaction(SIGUSR1, &action, &user_before_);
}

StopSignals::~StopSignals() {
  accept();
  sigaction(SIGTERM, &term_before_, nullptr);
  sigaction(SIGUSR1, &user_before_, nullptr);
}

void StopSignals::accept() const { alarm(0); }

bool StopSignals::accept_next(const std::stop_token& ended) const {
  constexpr std::chrono::milliseconds between_looks(50);
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!ended.stop_requested()) {
    wake.wait_for(lock, ended, between_looks, [] { return false; });
    if (received() == 0) continue;
    accept();
    return true;
  }
  return false;
}

int StopSignals::received() const { return last_signal; }

NodeCounts::NodeCounts(MPI_Comm communicator) : memory_(communicator) {
  std::byte* mine = nullptr;
  try {
    mine = memory_.allocate(bytes_of_count, true);
  } catch (const InputError&) {
    throw InputError(
        "'watchdog': the ranks of a machine node cannot share memory, in which they see the steps of each "
        "other: leave it out, or use more nodes");
  }
  counts_.push_back(new (mine) Count(0));
  // No rank may look at a count that is not there yet.
  MPI_Barrier(communicator);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  for (int other = 0; other < ranks; ++other) {
    if (!memory_.shares_node(other)) has_all_ = false;
    if (other != rank && memory_.shares_node(other))
      counts_.push_back(std::launder(reinterpret_cast<Count*>(memory_.of(other))));
  }
}

std::int64_t NodeCounts::sum() const {
  std::int64_t sum = 0;
  for (const Count* count : counts_) sum += count->load(std::memory_order_relaxed);
  return sum;
}

Watchdog::Watchdog(double seconds, std::function<void(int node, double limit)> bite, WaitLimit wait)
    : seconds_(seconds), bite_(std::move(bite)), wait_(std::move(wait)) {
  if (seconds_ > 0) thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wakes_.notify_one();
  thread_.join();
}

void Watchdog::watch() {
  using Clock = std::chrono::steady_clock;
  std::uint64_t seen = state_.load(std::memory_order_relaxed);
  std::int64_t seen_of_others = 0;
  Clock::time_point since = Clock::now();
  std::unique_lock lock(mutex_);
  while (!wakes_.wait_for(lock, std::chrono::duration<double>(seconds_ / 8), [this] { return ends_; })) {
    const std::uint64_t state = state_.load(std::memory_order_relaxed);
    const bool waits = (state >> 32U & 1U) != 0;
    const std::int64_t of_others = waits && wait_.steps_of_others ? wait_.steps_of_others() : 0;
    if (state != seen || of_others != seen_of_others) {
      seen = state;
      seen_of_others = of_others;
      since = Clock::now();
      continue;
    }
    const double limit = waits ? wait_.seconds : seconds_;
    if (Clock::now() - since >= std::chrono::duration<double>(limit))
      return bite_(static_cast<int>(static_cast<std::uint32_t>(state)), limit);
  }
}

std::function<void(int, double)> end_standstill(const Session& session, const std::string& program,
                                                double seconds, std::function<std::string(int)> name_of) {
  return [&session, program, seconds, name_of = std::move(name_of)](int node, double limit) {
    const std::string of_deck = limit == seconds ? "watchdog" : fmt::format("watchdog={:.6g} s", seconds);
    const std::string step = name_of(node);
    fmt::print(stderr, "{}: error: rank {}: no step has ended for {:.6g} s ({}), this rank is in {}\n",
               program, session.rank(), limit, of_deck,
               step.empty() ? "none of them" : fmt::format("'{}'", step));
    std::fflush(stderr);
    // Other ranks print their steps meanwhile.
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds / 2, 5.0)));
    session.abort(ExitStatus::watchdog);
  };
}

double watchdog_seconds(const deck::Deck& deck) {
  return deck.is_set("watchdog") ? deck.get<double>("watchdog") : 0;
}

CallsWatchdog::CallsWatchdog(const Session& session, const std::string& program, double seconds,
                             std::vector<std::string> tasks)
    : tasks_(std::move(tasks)),
      running_(tasks_.size()),
      counts_(session.communicator()),
      watchdog_(seconds,
                end_standstill(session, program, seconds,
                               [this](int) { return fmt::format("{}", fmt::join(running(), "', '")); }),
                {.seconds = seconds, .steps_of_others = [this] { return look(); }}) {
  // The calls of all threads count, and none of them is a step of this rank alone.
  watchdog_.begin_to_wait(-1);
}

std::vector<std::string> CallsWatchdog::running() const {
  std::vector<std::string> names;
  for (std::size_t task = 0; task < tasks_.size(); ++task)
    if (running_[task].load(std::memory_order_relaxed) > 0) names.push_back(tasks_[task]);
  return names;
}

std::int64_t CallsWatchdog::look() {
  if (!counts_.has_all() && running().empty()) ++idle_looks_;
  return counts_.sum() + idle_looks_;
}

}  // namespace tessera::app
