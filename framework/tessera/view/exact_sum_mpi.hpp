// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "tessera/view/exact_sum.hpp"

namespace tessera {

/// An MPI datatype and an MPI operation with which MPI_Allreduce, MPI_Iallreduce and similar functions add
/// exact sums:
///
///     MPI_Iallreduce(MPI_IN_PLACE, &sum, 1, operation.datatype(), operation.operation(), ..., &request);
///
/// An ExactSumOperation must outlive the reductions that use it, and must be destroyed before MPI is
/// finalised. Construction and destruction are not collective.
template <class T>
class ExactSumOperation {
 public:
  /// Makes the datatype and the operation. MPI must have been initialised.
  ExactSumOperation();
  ~ExactSumOperation();
  ExactSumOperation(const ExactSumOperation&) = delete;
  ExactSumOperation& operator=(const ExactSumOperation&) = delete;

  /// The datatype of one ExactSum<T>.
  MPI_Datatype datatype() const { return datatype_; }
  /// The operation that adds two sums. It is commutative.
  MPI_Op operation() const { return operation_; }

 private:
  MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

/// Adds `sum` over all ranks and returns the result. The result is normalised, so that every rank gets the
/// same bytes. Collective.
template <class T>
ExactSum<T> all_reduce(const ExactSum<T>& sum, MPI_Comm communicator);

}  // namespace tessera
