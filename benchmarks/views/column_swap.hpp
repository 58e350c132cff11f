// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstring>
#include <vector>

#include "tessera/view/distributed_view.hpp"

namespace bench {

/// The ghosts left and right of the cut of an array that two ranks share, by hand, in several ways: what a
/// programmer would write for this array, of a depth known to the compiler.
template <int Depth>
class ColumnSwap {
 public:
  ColumnSwap(MPI_Comm communicator, const tessera::DistributedView<float, 2>& view)
      : communicator_(communicator), partner_(1 - view.rank()) {
    const tessera::Box owned = view.owned();
    const tessera::ArrayReference array = view.block().reference();
    rows_ = static_cast<int>(owned[1].size());
    stride_ = array.strides[1];
    float* row = reinterpret_cast<float*>(array.origin) + owned[1].begin * stride_;
    const bool is_left = view.rank() == 0;
    read_ = row + (is_left ? owned[0].end - Depth : owned[0].begin);
    write_ = row + (is_left ? owned[0].end : owned[0].begin - Depth);
    sent_.resize(static_cast<std::size_t>(rows_) * Depth);
    received_.resize(sent_.size());
    MPI_Type_vector(rows_, Depth, static_cast<int>(stride_), MPI_FLOAT, &columns_);
    MPI_Type_commit(&columns_);
  }
  ~ColumnSwap() { MPI_Type_free(&columns_); }
  ColumnSwap(const ColumnSwap&) = delete;
  ColumnSwap& operator=(const ColumnSwap&) = delete;

  void with_loops() {
    exchange_packed(
        [this] {
          for (int y = 0; y < rows_; ++y)
            for (int x = 0; x < Depth; ++x) sent_[index(y, x)] = read_[y * stride_ + x];
        },
        [this] {
          for (int y = 0; y < rows_; ++y)
            for (int x = 0; x < Depth; ++x) write_[y * stride_ + x] = received_[index(y, x)];
        });
  }

  void with_memcpy() {
    constexpr std::size_t bytes = Depth * sizeof(float);
    exchange_packed(
        [this] {
          for (int y = 0; y < rows_; ++y) std::memcpy(&sent_[index(y, 0)], read_ + y * stride_, bytes);
        },
        [this] {
          for (int y = 0; y < rows_; ++y) std::memcpy(write_ + y * stride_, &received_[index(y, 0)], bytes);
        });
  }

  void with_vector_type() {
    MPI_Request requests[2];
    MPI_Irecv(write_, 1, columns_, partner_, tag, communicator_, &requests[0]);
    MPI_Isend(read_, 1, columns_, partner_, tag, communicator_, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }

 private:
  static constexpr int tag = 2;

  static std::size_t index(int y, int x) {
    return static_cast<std::size_t>(y) * Depth + static_cast<std::size_t>(x);
  }

  template <class Pack, class Unpack>
  void exchange_packed(const Pack& pack, const Unpack& unpack) {
    const int count = static_cast<int>(sent_.size());
    MPI_Request requests[2];
    MPI_Irecv(received_.data(), count, MPI_FLOAT, partner_, tag, communicator_, &requests[0]);
    pack();
    MPI_Isend(sent_.data(), count, MPI_FLOAT, partner_, tag, communicator_, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    unpack();
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  }

  MPI_Comm communicator_;
  int partner_;
  int rows_ = 0;
  std::int64_t stride_ = 0;
  const float* read_ = nullptr;
  float* write_ = nullptr;
  std::vector<float> sent_;
  std::vector<float> received_;
  MPI_Datatype columns_ = MPI_DATATYPE_NULL;
};

}  // namespace bench
