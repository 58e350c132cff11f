// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/transfers.hpp"

#include "tessera/view/mpi_objects.hpp"

namespace tessera::app {
namespace {

int rank_of(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

constexpr int tag = 0;

}  // namespace

namespace detail {

void send_bytes(MPI_Comm communicator, int to, const void* data, std::int64_t bytes) {
  const LargeMessage message(bytes);
  MPI_Send(data, message.count(), message.type(), to, tag, communicator);
}

void receive_bytes(MPI_Comm communicator, int from, void* data, std::int64_t bytes) {
  const LargeMessage message(bytes);
  MPI_Recv(data, message.count(), message.type(), from, tag, communicator, MPI_STATUS_IGNORE);
}

std::vector<std::int64_t> gather_number(MPI_Comm communicator, std::int64_t number) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  std::vector<std::int64_t> numbers(rank_of(communicator) == 0 ? static_cast<std::size_t>(size) : 0);
  MPI_Gather(&number, 1, MPI_INT64_T, numbers.data(), 1, MPI_INT64_T, 0, communicator);
  return numbers;
}

}  // namespace detail

void broadcast(MPI_Comm communicator, std::string& text) {
  auto size = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, communicator);
  text.resize(static_cast<std::size_t>(size));
  const LargeMessage message(size);
  MPI_Bcast(text.data(), message.count(), message.type(), 0, communicator);
}

void broadcast(MPI_Comm communicator, std::vector<std::string>& texts) {
  auto count = static_cast<std::int64_t>(texts.size());
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, communicator);
  texts.resize(static_cast<std::size_t>(count));
  for (std::string& text : texts) broadcast(communicator, text);
}

}  // namespace tessera::app
