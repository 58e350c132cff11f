// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "tessera/view/exact_sum.hpp"

namespace tessera {

/// What MPI needs to reduce exact sums, for MPI_Allreduce, MPI_Iallreduce and the like:
///
///     MPI_Iallreduce(MPI_IN_PLACE, &sum, 1, operation.datatype(), operation.operation(), ..., &request);
///
/// It must outlive the reductions that use it, and end before MPI does. Not collective.
template <class T>
class ExactSumOperation {
 public:
  ExactSumOperation();
  ~ExactSumOperation();
  ExactSumOperation(const ExactSumOperation&) = delete;
  ExactSumOperation& operator=(const ExactSumOperation&) = delete;

  /// One ExactSum<T>.
  MPI_Datatype datatype() const { return datatype_; }
  /// Merges two sums; commutative.
  MPI_Op operation() const { return operation_; }

 private:
  MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

/// The sum of the sums of all ranks, normalised: the same bytes on every rank. Collective.
template <class T>
ExactSum<T> all_reduce(const ExactSum<T>& sum, MPI_Comm communicator);

}  // namespace tessera
