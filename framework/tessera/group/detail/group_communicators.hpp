// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <map>
#include <vector>

#include "tessera/view/communicator.hpp"

namespace tessera::group {

/// The communicators of groups of ranks. Equal groups share one.
class GroupCommunicators {
 public:
  /// Makes no communicators of groups yet. Collective.
  explicit GroupCommunicators(MPI_Comm communicator) : all_(communicator) {}
  ~GroupCommunicators();
  GroupCommunicators(const GroupCommunicators&) = delete;
  GroupCommunicators& operator=(const GroupCommunicators&) = delete;

  /// Returns the communicator in which ranks[i] is rank i. Collective over these ranks, of which this rank is
  /// one. All ranks must ask for their groups in the same order.
  MPI_Comm of(const std::vector<int>& ranks);
  /// The communicator of all ranks.
  const Communicator& all() const { return all_; }

 private:
  Communicator all_;
  std::map<std::vector<int>, MPI_Comm> groups_;
};

}  // namespace tessera::group
