// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace tessera {

/// A datatype and an operation of MPI with which ranks join the values of a reduction. It is made once and
/// runs any number of times.
class ValueReduction {
 public:
  /// Prepares reductions of values of this many bytes, which `join` joins. The result of `join` must not
  /// depend on the order of ranks. Not collective.
  ValueReduction(std::int64_t bytes, MPI_User_function* join);
  ~ValueReduction();
  ValueReduction(const ValueReduction&) = delete;
  ValueReduction& operator=(const ValueReduction&) = delete;

  /// Replaces every rank's `value` by the join of the values of all ranks. Collective.
  void run(void* value, MPI_Comm communicator) const;
  /// Starts to replace every rank's `value` by the join of the values of all ranks. It is done when `request`
  /// is, and `value` and this object must last until then. Collective.
  void start(void* value, MPI_Comm communicator, MPI_Request& request) const;

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

}  // namespace tessera
