// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace tessera {

/// Describes a message of any number of bytes by a count and a datatype of MPI, although counts of MPI are
/// ints. A message of more than `largest` bytes is described as one element of a datatype that is made for
/// this message.
class LargeMessage {
 public:
  /// Describes a message of `bytes` bytes. A datatype is made if `bytes` is greater than `largest`. `largest`
  /// must fit into an int. MPI must have been initialised.
  explicit LargeMessage(std::int64_t bytes, std::int64_t largest = std::int64_t{1} << 30);
  ~LargeMessage();
  LargeMessage(const LargeMessage&) = delete;
  LargeMessage& operator=(const LargeMessage&) = delete;

  /// The number of elements of `type`.
  int count() const { return count_; }
  /// The datatype of the elements. It must not be used after this object has been destroyed.
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace tessera
