// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace bench {

/// Sends some bytes between two ranks by plain MPI, both ways at a time, without any packing.
class RawMessages {
 public:
  RawMessages(MPI_Comm communicator, std::size_t bytes)
      : communicator_(communicator), sent_(bytes), received_(bytes) {
    MPI_Comm_rank(communicator, &rank_);
    const int count = static_cast<int>(bytes);
    MPI_Recv_init(received_.data(), count, MPI_BYTE, 1 - rank_, tag, communicator, &requests_[0]);
    MPI_Send_init(sent_.data(), count, MPI_BYTE, 1 - rank_, tag, communicator, &requests_[1]);
  }
  ~RawMessages() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }
  RawMessages(const RawMessages&) = delete;
  RawMessages& operator=(const RawMessages&) = delete;

  void run() {
    const int count = static_cast<int>(sent_.size());
    MPI_Request requests[2];
    MPI_Irecv(received_.data(), count, MPI_BYTE, 1 - rank_, tag, communicator_, &requests[0]);
    MPI_Isend(sent_.data(), count, MPI_BYTE, 1 - rank_, tag, communicator_, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  void run_persistent() {
    MPI_Startall(2, requests_);
    MPI_Waitall(2, requests_, MPI_STATUSES_IGNORE);
  }

 private:
  static constexpr int tag = 1;
  MPI_Comm communicator_;
  int rank_ = 0;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  MPI_Request requests_[2];
};

}  // namespace bench
