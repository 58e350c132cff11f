// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace tessera {

/// Describes any number of bytes by a count and a datatype of MPI, whose counts are ints. More than `largest`
/// bytes become one element of a datatype that is made for them.
class LargeMessage {
 public:
  /// Makes the datatype, if `bytes` is more than `largest`, which must fit an int. MPI must have been
  /// initialised.
  explicit LargeMessage(std::int64_t bytes, std::int64_t largest = std::int64_t{1} << 30);
  ~LargeMessage();
  LargeMessage(const LargeMessage&) = delete;
  LargeMessage& operator=(const LargeMessage&) = delete;

  /// The number of elements of `type`.
  int count() const { return count_; }
  /// The datatype, which this object frees.
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace tessera
