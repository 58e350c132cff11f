// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/large_message.hpp"

namespace tessera {

LargeMessage::LargeMessage(std::int64_t bytes, std::int64_t largest) : count_(static_cast<int>(bytes)) {
  if (bytes <= largest) return;
  MPI_Datatype piece = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(largest), MPI_BYTE, &piece);
  const int counts[] = {static_cast<int>(bytes / largest), static_cast<int>(bytes % largest)};
  const MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes / largest * largest)};
  const MPI_Datatype types[] = {piece, MPI_BYTE};
  MPI_Type_create_struct(2, counts, places, types, &type_);
  MPI_Type_commit(&type_);
  MPI_Type_free(&piece);
  count_ = 1;
}

LargeMessage::~LargeMessage() {
  if (type_ != MPI_BYTE) MPI_Type_free(&type_);
}

}  // namespace tessera
