// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/mpi_objects.hpp"

#include <fmt/format.h>

#include <exception>
#include <numeric>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"

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

NodeMemory::NodeMemory(MPI_Comm communicator) : communicator_(communicator) {
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group node = MPI_GROUP_NULL;
  MPI_Comm_group(communicator, &all);
  MPI_Comm_group(node_, &node);
  int ranks = 0;
  MPI_Group_size(all, &ranks);
  std::vector<int> numbers(static_cast<std::size_t>(ranks));
  std::iota(numbers.begin(), numbers.end(), 0);
  node_ranks_.resize(numbers.size());
  MPI_Group_translate_ranks(all, ranks, numbers.data(), node, node_ranks_.data());
  MPI_Group_free(&all);
  MPI_Group_free(&node);
}

NodeMemory::~NodeMemory() {
  // While an exception unwinds the stack, other ranks may not make the collective calls below.
  if (std::uncaught_exceptions() > 0) return;
  if (window_ != MPI_WIN_NULL) {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  MPI_Comm_free(&node_);
}

std::byte* NodeMemory::allocate(std::int64_t bytes, bool has_memory) {
  void* base = nullptr;
  MPI_Comm_set_errhandler(node_, MPI_ERRORS_RETURN);
  const int status =
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, node_, &base, &window_);
  if (on_any_rank(communicator_, status != MPI_SUCCESS || !has_memory))
    throw InputError(
        fmt::format("the memory for messages, {} on this rank, cannot be shared by the ranks of each machine "
                    "node: write exchange: messages in the deck, or use more nodes",
                    human_bytes(bytes)));
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  return static_cast<std::byte*>(base);
}

std::byte* NodeMemory::of(int rank) const {
  MPI_Aint bytes = 0;
  int unit = 0;
  void* base = nullptr;
  MPI_Win_shared_query(window_, node_rank(rank), &bytes, &unit, &base);
  return static_cast<std::byte*>(base);
}

}  // namespace tessera
