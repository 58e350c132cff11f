// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace tessera {

/// How ranks join values of a reduction: made once, run any number of times.
class ValueReduction {
 public:
  /// Values of so many bytes, which `join` joins; the order of ranks must not matter to it.
  ValueReduction(std::int64_t bytes, MPI_User_function* join);
  ~ValueReduction();
  ValueReduction(const ValueReduction&) = delete;
  ValueReduction& operator=(const ValueReduction&) = delete;

  /// Every rank's `value` becomes the value of all. Collective.
  void run(void* value, MPI_Comm communicator) const;
  /// The same, done when the request is.
  void start(void* value, MPI_Comm communicator, MPI_Request& request) const;

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

}  // namespace tessera
