// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/collectively.hpp"

#include <exception>
#include <string>

#include "tessera/domain/error.hpp"

namespace tessera {
namespace {

enum class Outcome : int { success, input_error, internal_error };

Outcome run(const std::function<void()>& task, std::string& message) {
  try {
    task();
    return Outcome::success;
  } catch (const InputError& error) {
    message = error.what();
    return Outcome::input_error;
  } catch (const std::exception& error) {
    message = error.what();
  } catch (...) {
    message = "an exception that is not a std::exception";
  }
  return Outcome::internal_error;
}

}  // namespace

void collectively(MPI_Comm communicator, const std::function<void()>& task) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);

  std::string message;
  const Outcome outcome = run(task, message);

  int failed_rank = outcome == Outcome::success ? ranks : rank;
  MPI_Allreduce(MPI_IN_PLACE, &failed_rank, 1, MPI_INT, MPI_MIN, communicator);
  if (failed_rank == ranks) return;

  int header[2] = {static_cast<int>(outcome), static_cast<int>(message.size())};
  MPI_Bcast(header, 2, MPI_INT, failed_rank, communicator);
  message.resize(static_cast<std::size_t>(header[1]));
  MPI_Bcast(message.data(), header[1], MPI_CHAR, failed_rank, communicator);
  if (static_cast<Outcome>(header[0]) == Outcome::input_error) throw InputError(message);
  throw AgreedInternalError(message);
}

}  // namespace tessera
