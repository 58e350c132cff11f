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

/// MPI, and later Kokkos, for the life of a program: the only place that starts and ends them.
class Session {
 public:
  /// Starts MPI. Throws InputError when a launcher of another MPI started this program: each process would
  /// believe to be alone.
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Starts Kokkos with this many threads on hosts; 0: OMP_NUM_THREADS, else the default. Collective. On
  /// machines with devices the ranks of a node share them out.
  void start_kokkos(int threads);

  MPI_Comm communicator() const { return MPI_COMM_WORLD; }
  int rank() const { return rank_; }
  int rank_count() const { return rank_count_; }
  /// When the program did.
  std::chrono::steady_clock::time_point began() const { return began_; }
  /// Threads that this rank computes with when `asked` are asked for (0: nobody asks); known before Kokkos
  /// starts. Collective. Throws InputError when OMP_NUM_THREADS is no number of threads.
  int threads(int asked) const;
  /// How threads may call MPI, as it granted: "multiple", "serialized", "funneled" or "single".
  std::string thread_level() const;
  /// Prints a text on standard output, once for all ranks.
  void print(const std::string& text) const;
  /// Prints the error and ends all ranks, for one that only this rank knows of: with status 1, or 2 for a
  /// StrandedError.
  void abort(const std::string& name, const std::exception& error) const;
  /// Ends all ranks with this status, when what this one has just said has been heard, and removes the files
  /// that are not complete; says nothing. Any thread may call it.
  void abort(ExitStatus status) const;
  /// Threads that Kokkos was started with.
  int threads() const { return threads_; }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  int rank_ = 0;
  int rank_count_ = 1;
  int threads_ = 0;
  int thread_level_ = 0;
  bool kokkos_started_ = false;
};

/// Whether all ranks have met this error together, and each can end by itself.
bool all_ranks_know(const std::exception& error);

/// What a main() returns: runs `program` in a session and turns exceptions into one line on standard error
/// and the exit status. Errors that all ranks know of are printed by rank 0 and end every rank; any other
/// ends all ranks from where it happened.
int run_program(int argc, char** argv, const std::string& name,
                const std::function<ExitStatus(Session&, int, char**)>& program);

}  // namespace tessera::app
