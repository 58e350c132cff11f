// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/session.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <thread>

#include "tessera/app/detail/placement.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/machine.hpp"

namespace tessera::app {
namespace {

/// Opens /dev/null in the place of each standard stream that is closed. Otherwise a file of the run would get
/// its number, and messages would be written into that file. Returns true if the standard output was closed.
bool open_closed_streams() {
  bool is_silent = false;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    is_silent |= stream == STDOUT_FILENO;
    open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY);  // gets the least number that is free
  }
  return is_silent;
}

/// Returns the number in the first of these environment variables that is set, or `otherwise`.
int first_number(std::initializer_list<const char*> variables, int otherwise) {
  for (const char* name : variables)
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return otherwise;
}

/// Returns the number of processes that the launcher of this program has started, or 1 if this is unknown. If
/// one launcher has started another, such as Slurm and mpiexec, the variable of the inner launcher is used.
int launched_processes() {
  return first_number({"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}, 1);
}

/// Returns ", which is " and the path of the mpiexec of the MPI that this library was built with. Returns an
/// empty text if that file does not exist on this machine.
std::string right_launcher() {
  const std::string path = TESSERA_LAUNCHER;
  return std::ifstream(path) ? ", which is " + path : "";
}

/// Returns the number, from 0, that the launcher has given to this process; 0 if it is unknown.
int process_number() {
  return first_number({"PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"}, 0);
}

/// Returns the number of the device that this rank uses on its machine node, or -1 if there are no devices.
int device_of_rank(MPI_Comm communicator) {
  if constexpr (runs_on_host) return -1;
  MPI_Comm node = MPI_COMM_NULL;
  int local_rank = 0;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local_rank);
  MPI_Comm_free(&node);
  const int devices = compat::device_count();
  return devices > 0 ? local_rank % devices : -1;
}

/// The time between the last output of a rank and the end of the job. Without this time, the launcher could
/// drop the output.
constexpr std::chrono::milliseconds to_be_heard{500};

/// Returns whether an error has one of the types.
template <class... Errors>
bool is(const std::exception& error) {
  return (... || (dynamic_cast<const Errors*>(&error) != nullptr));
}

void print_error(const std::string& name, const std::exception& error) {
  fmt::print(stderr, "{}: {}{}\n", name, is<StoppedError>(error) ? "" : "error: ", error.what());
  std::fflush(stderr);
}

ExitStatus status_of(const std::exception& error) {
  if (is<InputError>(error)) return ExitStatus::bad_input;
  if (is<DivergedError>(error)) return ExitStatus::diverged;
  return is<StoppedError>(error) ? ExitStatus::stopped : ExitStatus::internal_error;
}

void check_threads_of_kokkos(int threads) {
  const char* text = std::getenv("KOKKOS_NUM_THREADS");
  if (text != nullptr && *text != '\0' && text != std::to_string(threads))
    throw InputError(fmt::format(
        "the environment variable KOKKOS_NUM_THREADS is '{}', but the rank has {}: unset it, and give "
        "threads in the deck or OMP_NUM_THREADS",
        text, counted(threads, "thread")));
}

/// Limits the instructions of kernels (see limit_instruction_set) to the set that the environment variable
/// TESSERA_INSTRUCTIONS names, if it is set and not empty. Throws InputError when it names no set.
void limit_instructions_from_environment() {
  const char* text = std::getenv("TESSERA_INSTRUCTIONS");
  if (text == nullptr || *text == '\0') return;
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512})
    if (text == to_string(set)) return limit_instruction_set(set);
  throw InputError(fmt::format(
      "the environment variable TESSERA_INSTRUCTIONS is '{}': give baseline, avx2 or avx512", text));
}

}  // namespace

Session::Session(int& argc, char**& argv) {
  // If a file grows beyond the limit of the system, the write fails with an error that names the file.
  // Without this line, the signal SIGXFSZ would end the rank without a message.
  std::signal(SIGXFSZ, SIG_IGN);
  int runs = 0;
  MPI_Initialized(&runs);
  ends_mpi_ = runs == 0;
  if (ends_mpi_)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &thread_level_);
  else
    MPI_Query_thread(&thread_level_);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &rank_count_);
  if (ends_mpi_ && rank_count_ == 1 && launched_processes() > 1) {
    MPI_Finalize();
    throw InputError(
        fmt::format("the launcher started {} processes, but MPI says there is 1: start with the mpiexec of "
                    "the MPI that this program was built with{}",
                    launched_processes(), right_launcher()));
  }
}

Session::~Session() {
  if (ends_kokkos_) Kokkos::finalize();
  if (ends_mpi_) MPI_Finalize();  // here HDF5 closes files that an error has left open
  io::set_end_of_job({});
}

std::string Session::thread_level() const {
  return thread_level_ == MPI_THREAD_MULTIPLE     ? "multiple"
         : thread_level_ == MPI_THREAD_SERIALIZED ? "serialized"
         : thread_level_ == MPI_THREAD_FUNNELED   ? "funneled"
                                                  : "single";
}

int Session::threads(int asked) const {
  // The ranks may have different environments. Both calls are collective, so that every rank makes both of
  // them, whatever its own environment is.
  int environment = 0;
  const int limit = openmp_thread_limit();
  collectively(communicator(), [&] {
    environment = threads_from_environment();
    if (asked > limit)
      throw InputError(fmt::format(
          "threads is {}, and the environment variable OMP_THREAD_LIMIT allows {}: raise the limit, "
          "or give fewer threads",
          asked, limit));
  });
  const int fair_share = default_threads(communicator());
  return asked > 0 ? asked : std::min(environment > 0 ? environment : fair_share, limit);
}

void Session::start_kokkos(int threads) {
  if (Kokkos::is_initialized()) {
    threads_ = HostExecutionSpace().concurrency();
    return;
  }
  threads_ = this->threads(threads);
  collectively(communicator(), [this] {
    const Affinity own = own_affinity();
    if (threads_ > CPU_COUNT(&own.processors)) check_that_threads_start(threads_);
    check_threads_of_kokkos(threads_);
  });
  set_openmp_threads(threads_);
  compat::initialize(threads_, device_of_rank(communicator()));
  ends_kokkos_ = true;
}

void Session::print(const std::string& text) const {
  if (rank_ == 0) fmt::print("{}", text);
}

void Session::abort(const std::string& name, const std::exception& error) const {
  // If another rank is already ending the job, it normally ends this rank, too, while this rank sleeps. Then
  // only the other rank prints an error.
  if (!io::remove_unfinished_files()) std::this_thread::sleep_for(4 * to_be_heard);
  print_error(name, error);
  abort(is<StrandedError>(error) ? ExitStatus::bad_input : ExitStatus::internal_error);
}

void Session::abort(ExitStatus status) const {
  io::remove_unfinished_files();
  std::this_thread::sleep_for(to_be_heard);
  MPI_Abort(communicator(), static_cast<int>(status));
}

bool all_ranks_know(const std::exception& error) {
  return is<InputError, DivergedError, StoppedError, AgreedInternalError>(error);
}

int run_program(int argc, char** argv, const std::string& name,
                const std::function<ExitStatus(Session&, int, char**)>& program) {
  const bool is_silent = open_closed_streams();
  try {
    Session session(argc, argv);
    if (is_silent && session.rank() == 0)
      fmt::print(stderr, "{}: the standard output is closed: only results are written\n", name);
    io::set_end_of_job([&](const StrandedError& error) { session.abort(name, error); });
    try {
      collectively(session.communicator(), limit_instructions_from_environment);
      return static_cast<int>(program(session, argc, argv));
    } catch (const std::exception& error) {
      if (!all_ranks_know(error)) session.abort(name, error);
      if (session.rank() == 0) print_error(name, error);
      return static_cast<int>(status_of(error));
    }
  } catch (const InputError& error) {
    // The launcher of another MPI library has started this program. Every process is rank 0 of its own job,
    // and only the first process prints the error.
    if (process_number() == 0) print_error(name, error);
    return static_cast<int>(ExitStatus::bad_input);
  }
}

}  // namespace tessera::app
