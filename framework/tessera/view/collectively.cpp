// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/collectively.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tessera {

int ranks_of(MPI_Comm communicator) {
  // Several threads may ask at the same time, which MPI need not support.
  if (communicator == MPI_COMM_SELF) return 1;
  int ranks = 1;
  MPI_Comm_size(communicator, &ranks);
  return ranks;
}

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  if (communicator != MPI_COMM_SELF) MPI_Comm_rank(communicator, &rank);
  return rank;
}

bool on_any_rank(MPI_Comm communicator, bool here) {
  int any = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, communicator);
  return any != 0;
}

namespace {

enum class Outcome : int { success, input_error, diverged, internal_error };

/// The outcome of a task on this rank.
struct Attempt {
  Outcome outcome = Outcome::success;
  std::string message;
};

Attempt run(const std::function<void()>& task) {
  try {
    task();
    return {};
  } catch (const InputError& error) {
    return {Outcome::input_error, error.what()};
  } catch (const DivergedError& error) {
    return {Outcome::diverged, error.what()};
  } catch (const std::exception& error) {
    return {Outcome::internal_error, error.what()};
  } catch (...) {
    return {Outcome::internal_error, "an exception that is not a std::exception"};
  }
}

/// Returns the number of this rank if its attempt failed, and otherwise the number of ranks. The minimum over
/// all ranks is the first rank that failed.
int failed_rank(MPI_Comm communicator, const Attempt& attempt) {
  return attempt.outcome == Outcome::success ? ranks_of(communicator) : rank_in(communicator);
}

/// Waits at most this many seconds for a request. Returns whether it has ended.
bool ends_within(double seconds, MPI_Request& request) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (;;) {
    int has_ended = 0;
    MPI_Test(&request, &has_ended, MPI_STATUS_IGNORE);
    if (has_ended != 0) return true;
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Keeps the memory of a request that nothing waits for any more, because MPI may write to this memory until
/// the process ends.
void keep(std::unique_ptr<int> number) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<int>> numbers;
  const std::lock_guard lock(mutex);
  numbers.push_back(std::move(number));
}

/// Throws the error of a failed attempt.
[[noreturn]] void throw_error(Outcome outcome, const std::string& message) {
  if (outcome == Outcome::input_error) throw InputError(message);
  if (outcome == Outcome::diverged) throw DivergedError(message);
  throw AgreedInternalError(message);
}

/// Throws the error of rank `first` on all ranks. Does nothing if `first` is the number of ranks. `attempt`
/// is the attempt of this rank.
void throw_error_of(int first, MPI_Comm communicator, const Attempt& attempt) {
  if (first == ranks_of(communicator)) return;
  std::string message = attempt.message;
  int header[2] = {static_cast<int>(attempt.outcome), static_cast<int>(message.size())};
  MPI_Bcast(header, 2, MPI_INT, first, communicator);
  message.resize(static_cast<std::size_t>(header[1]));
  MPI_Bcast(message.data(), header[1], MPI_CHAR, first, communicator);
  throw_error(static_cast<Outcome>(header[0]), message);
}

}  // namespace

void collectively(MPI_Comm communicator, const std::function<void()>& task) {
  const Attempt attempt = run(task);
  // Several threads may be here with MPI_COMM_SELF, and MPI forbids collective calls at the same time on one
  // communicator.
  if (ranks_of(communicator) == 1) {
    if (attempt.outcome != Outcome::success) throw_error(attempt.outcome, attempt.message);
    return;
  }
  int first = failed_rank(communicator, attempt);
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, communicator);
  throw_error_of(first, communicator, attempt);
}

void collectively_within(MPI_Comm communicator, double seconds, const std::function<void()>& task) {
  const Attempt attempt = run(task);
  auto first = std::make_unique<int>(failed_rank(communicator, attempt));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, first.get(), 1, MPI_INT, MPI_MIN, communicator, &request);
  if (attempt.outcome == Outcome::success) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (!ends_within(seconds, request)) {
    keep(std::move(first));
    if (attempt.outcome == Outcome::input_error) throw StrandedError(attempt.message);
    throw InternalError(attempt.message);
  }
  throw_error_of(*first, communicator, attempt);
}

}  // namespace tessera
