// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "tessera/app/exit_status.hpp"

namespace tessera::app {

/// Keeps MPI, and from start_kokkos() on Kokkos, running for the life of a program. No other code starts or
/// ends them.
class Session {
 public:
  /// Starts MPI. Throws InputError when the launcher of another MPI has started this program, because each
  /// process would believe that it is alone.
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Starts Kokkos with as many threads as threads(int) returns for `threads`, and throws as that does. On
  /// machines with devices each rank of a node takes the next device in turn. Collective.
  void start_kokkos(int threads);

  /// The communicator of all ranks.
  MPI_Comm communicator() const { return MPI_COMM_WORLD; }
  /// The number of this rank, from 0.
  int rank() const { return rank_; }
  /// The number of ranks.
  int rank_count() const { return rank_count_; }
  /// The time at which the session, and with it the program, began.
  std::chrono::steady_clock::time_point began() const { return began_; }
  /// Returns the number of threads with which this rank computes: `asked` if it is not 0, else
  /// OMP_NUM_THREADS, else a fair share of the processors. Kokkos need not have started. Collective. Throws
  /// InputError when OMP_NUM_THREADS is not a positive number.
  int threads(int asked) const;
  /// The thread level that MPI has granted: "multiple", "serialized", "funneled" or "single".
  std::string thread_level() const;
  /// Prints a text on standard output if this is rank 0.
  void print(const std::string& text) const;
  /// Prints an error that only this rank knows of, after the program's `name`, and ends all ranks. The exit
  /// status is 2 for a StrandedError, else 1.
  void abort(const std::string& name, const std::exception& error) const;
  /// Removes files that are not complete and ends all ranks with this status. It prints nothing, but waits
  /// half a second before, so that the launcher passes on what this rank has printed. Any thread may call it.
  void abort(ExitStatus status) const;
  /// The number of threads with which Kokkos was started; 0 before that.
  int threads() const { return threads_; }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  int rank_ = 0;
  int rank_count_ = 1;
  int threads_ = 0;
  int thread_level_ = 0;
  bool kokkos_started_ = false;
};

/// Whether the type of this error means that all ranks have met it together, so that each can end by itself.
bool all_ranks_know(const std::exception& error);

/// Runs `program` in a session and returns the exit status for main(). An exception becomes one line on
/// standard error, which begins with `name`, and an exit status. Rank 0 prints errors that all ranks know of,
/// and each rank returns; any other error is printed by the rank that met it and aborts all ranks.
int run_program(int argc, char** argv, const std::string& name,
                const std::function<ExitStatus(Session&, int, char**)>& program);

}  // namespace tessera::app
