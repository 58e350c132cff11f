// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace tessera {

/// Any number of bytes as a count and a datatype of MPI, whose counts are ints: above `largest` bytes they
/// become one element of a datatype made for them.
class LargeMessage {
 public:
  explicit LargeMessage(std::int64_t bytes, std::int64_t largest = std::int64_t{1} << 30);
  ~LargeMessage();
  LargeMessage(const LargeMessage&) = delete;
  LargeMessage& operator=(const LargeMessage&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace tessera
