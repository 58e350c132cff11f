// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace tessera {

/// An MPI datatype and an MPI operation with which ranks join their values of a reduction. A ValueReduction
/// is made once and can be run any number of times.
class ValueReduction {
 public:
  /// Prepares reductions of values of `bytes` bytes. `join` joins two values to one. The joined value of all
  /// ranks must not depend on the order of the ranks. Not collective.
  ValueReduction(std::int64_t bytes, MPI_User_function* join);
  ~ValueReduction();
  ValueReduction(const ValueReduction&) = delete;
  ValueReduction& operator=(const ValueReduction&) = delete;

  /// Joins the values of all ranks, and replaces `value` on every rank by the joined value. Collective.
  void run(void* value, MPI_Comm communicator) const;
  /// Starts to join the values of all ranks, and to replace `value` on every rank by the joined value. This
  /// is done when `request` is complete. Until then, `value` and this object must not be destroyed.
  /// Collective.
  void start(void* value, MPI_Comm communicator, MPI_Request& request) const;

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

}  // namespace tessera
