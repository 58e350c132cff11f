// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/value_reduction.hpp"

namespace tessera {

ValueReduction::ValueReduction(std::int64_t bytes, MPI_User_function* join) {
  MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_);
  MPI_Type_commit(&type_);
  MPI_Op_create(join, 1, &operation_);
}

ValueReduction::~ValueReduction() {
  MPI_Op_free(&operation_);
  MPI_Type_free(&type_);
}

void ValueReduction::run(void* value, MPI_Comm communicator) const {
  MPI_Allreduce(MPI_IN_PLACE, value, 1, type_, operation_, communicator);
}

void ValueReduction::start(void* value, MPI_Comm communicator, MPI_Request& request) const {
  MPI_Iallreduce(MPI_IN_PLACE, value, 1, type_, operation_, communicator, &request);
}

}  // namespace tessera
