// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exact_sum_mpi.hpp"

namespace tessera {
namespace {

/// Adds each sum of `sums` to the corresponding sum of `results`. This is an MPI_User_function.
template <class T>
void merge_sums(void* sums, void* results, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    ExactSum<T>& result = static_cast<ExactSum<T>*>(results)[i];
    result.merge(static_cast<const ExactSum<T>*>(sums)[i]);
    result.normalise();
  }
}

}  // namespace

template <class T>
ExactSumOperation<T>::ExactSumOperation() {
  MPI_Type_contiguous(sizeof(ExactSum<T>), MPI_BYTE, &datatype_);
  MPI_Type_commit(&datatype_);
  MPI_Op_create(&merge_sums<T>, 1, &operation_);
}

template <class T>
ExactSumOperation<T>::~ExactSumOperation() {
  MPI_Op_free(&operation_);
  MPI_Type_free(&datatype_);
}

template <class T>
ExactSum<T> all_reduce(const ExactSum<T>& sum, MPI_Comm communicator) {
  const ExactSumOperation<T> operation;
  ExactSum<T> result = sum;
  result.normalise();  // MPI does not call merge_sums for one rank
  MPI_Allreduce(MPI_IN_PLACE, &result, 1, operation.datatype(), operation.operation(), communicator);
  return result;
}

template class ExactSumOperation<float>;
template class ExactSumOperation<double>;
template ExactSum<float> all_reduce(const ExactSum<float>&, MPI_Comm);
template ExactSum<double> all_reduce(const ExactSum<double>&, MPI_Comm);

}  // namespace tessera
