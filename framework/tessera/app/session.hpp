// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <exception>
#include <functional>
#include <string>

#include "tessera/view/instruction_sets.hpp"

namespace tessera::app {

/// The exit statuses of every Tessera program.
enum class ExitStatus : int {
  done = 0,              ///< The program has done its work.
  internal_error = 1,    ///< An internal error: a fault of Tessera or of a stage body.
  beyond_tolerance = 1,  ///< The result does not meet a demand of the deck, such as a tolerance.
  bad_input = 2,         ///< A deck, a file, an option or the environment is wrong.
  not_converged = 3,     ///< The condition of a loop did not hold after the permitted number of turns.
  stopped = 4,           ///< A signal or the wall-time limit stopped the run after a checkpoint was written.
  diverged = 5,          ///< The residual of a loop is not finite.
  watchdog = 6           ///< No step ended within the time limit that the key `watchdog` sets.
};

/// Returns whether errors of this type are always thrown by all ranks together, so that each rank can end
/// without aborting the others.
bool all_ranks_know(const std::exception& error);

/// The lifetime of MPI and Kokkos in a program: nothing else starts or ends them. Where MPI or Kokkos runs
/// already, because a test calls the program as a function, the session uses it and does not end it.
class Session {
 public:
  /// Starts MPI, unless it runs already. Throws InputError when the launcher of another MPI library has
  /// started this program, because each process would then be the only rank of its own MPI job.
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Starts Kokkos with threads(`threads`) threads, unless it runs already. In a build for devices, the ranks
  /// of a machine node take its devices in turn. Collective. Throws InputError as threads() does, if
  /// KOKKOS_NUM_THREADS is another number, and if the rank is to have more threads than processors and the
  /// system does not start all.
  void start_kokkos(int threads);

  /// The communicator of all ranks.
  MPI_Comm communicator() const { return MPI_COMM_WORLD; }
  /// The number of this rank, from 0.
  int rank() const { return rank_; }
  /// The number of ranks.
  int rank_count() const { return rank_count_; }
  /// The time at which the session and the program began.
  std::chrono::steady_clock::time_point began() const { return began_; }
  /// Returns the number of threads of this rank, also before Kokkos is started: `asked`, if
  /// that is not 0, or that in the environment variable OMP_NUM_THREADS, or an even share of the processors
  /// that the rank may use, the latter two at most OMP_THREAD_LIMIT. Collective. Throws InputError if
  /// OMP_NUM_THREADS is not a positive number, and if `asked` is more than OMP_THREAD_LIMIT.
  int threads(int asked) const;
  /// Returns the thread level that MPI has granted: "multiple", "serialized", "funneled" or "single".
  std::string thread_level() const;
  /// Prints `text` on standard output if this is rank 0, and does nothing on other ranks.
  void print(const std::string& text) const;
  /// Prints the name of the program, `name`, and an error that only this rank knows of, and ends all ranks,
  /// with status 2 if the error is a StrandedError, and 1 otherwise.
  void abort(const std::string& name, const std::exception& error) const;
  /// Returns what `act` returns. If it throws an error that other ranks do not know of, or any error if
  /// `is_alone` is true, ends all ranks, before files are closed, because closing a file is collective.
  /// Otherwise throws the error on.
  template <class Act>
  auto guard(const std::string& name, const Act& act, bool is_alone = false) const {
    try {
      return act();
    } catch (const std::exception& error) {
      if (is_alone || !all_ranks_know(error)) abort(name, error);
      throw;
    }
  }
  /// Removes incomplete files, waits half a second, so that the launcher can pass on what this rank has
  /// printed, and ends all ranks with the exit status `status`. Any thread may call it.
  void abort(ExitStatus status) const;
  /// The number of threads that Kokkos was started with; 0 if Kokkos has not been started yet.
  int threads() const { return threads_; }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  int rank_ = 0;
  int rank_count_ = 1;
  int threads_ = 0;
  int thread_level_ = 0;
  bool ends_mpi_ = false;
  bool ends_kokkos_ = false;
};

/// Opens standard streams that are closed, runs `program` in a session, and returns the exit status for
/// main(). If `program` throws an exception, one line that begins with `name` is printed on standard error,
/// and the exit status depends on the exception. If all ranks know of the error (see all_ranks_know), rank 0
/// prints the line, and each rank returns. Otherwise the rank with the error prints the line and aborts all
/// ranks. Before `program` runs, the instructions of kernels are limited to those that the environment
/// variable TESSERA_INSTRUCTIONS names.
int run_program(int argc, char** argv, const std::string& name,
                const std::function<ExitStatus(Session&, int, char**)>& program);

/// How a program is compiled. This describes the translation unit that contains main() and the kernels.
struct ProgramBuild {
  /// Whether the compiler optimises.
  bool is_optimised = false;
  /// The largest instruction set that the compiler may use, such as "x86-64-v3 (AVX2)".
  const char* instruction_set = "";
  /// Whether kernels are compiled for larger sets of instructions, too, among which the program chooses when
  /// it starts (see InstructionSet).
  bool chooses_instructions = false;
};

/// A description of how the translation unit that includes this header is compiled. It is the default
/// argument of the functions that run programs. These functions therefore learn that the program is not
/// optimised although the Tessera library is.
static constexpr ProgramBuild this_program = {
#if defined(__OPTIMIZE__)
    true,
#else
    false,
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
    "x86-64-v4 (AVX-512)"
#elif defined(__AVX2__) && defined(__FMA__)
    "x86-64-v3 (AVX2)"
#elif defined(__SSE4_2__)
    "x86-64-v2 (SSE4.2)"
#elif defined(__x86_64__)
    "x86-64 (SSE2)"
#elif defined(__ARM_FEATURE_SVE)
    "AArch64 (SVE)"
#elif defined(__aarch64__)
    "AArch64 (NEON)"
#else
    "the compiler's default instructions"
#endif
    ,
    tessera::detail::chooses_instructions,
};

}  // namespace tessera::app
