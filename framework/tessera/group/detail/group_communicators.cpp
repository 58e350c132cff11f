// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/group_communicators.hpp"

namespace tessera::group {

GroupCommunicators::~GroupCommunicators() {
  for (auto& [ranks, communicator] : groups_) MPI_Comm_free(&communicator);
}

MPI_Comm GroupCommunicators::of(const std::vector<int>& ranks) {
  const auto [found, is_new] = groups_.try_emplace(ranks, MPI_COMM_NULL);
  if (is_new) {
    MPI_Group everyone = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    MPI_Comm_group(all_.handle(), &everyone);
    MPI_Group_incl(everyone, static_cast<int>(ranks.size()), ranks.data(), &some);
    // Only the ranks of the group take part, so that other groups can be made at the same time.
    MPI_Comm_create_group(all_.handle(), some, 0, &found->second);
    MPI_Group_free(&some);
    MPI_Group_free(&everyone);
  }
  return found->second;
}

}  // namespace tessera::group
