// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "tessera/view/exchange.hpp"

namespace tessera {

/// The setting that says whether MPI may be given the addresses of a device's memory: find out (`detect`),
/// yes (`on`) or no (`off`).
enum class GpuAware : std::uint8_t { detect, on, off };

/// The transport for messages, and the reason for it.
struct ChosenTransport {
  /// The transport that was chosen.
  Transport transport;
  /// The reason in words, for the block of text that a program prints when it starts.
  std::string reason;
};

/// Chooses the transport for all ranks of `communicator` together. `detect` asks MPI, and believes it only if
/// a value sent from device to device arrives, because MPI libraries have been known to promise more than
/// they keep. When in doubt, messages travel through pinned host memory. Collective.
ChosenTransport choose_transport(MPI_Comm communicator, GpuAware wanted);

/// Sends one number from the memory of kernels to that of the next rank, and returns whether the number of
/// the rank before this one has arrived. Collective.
bool device_message_arrives(MPI_Comm communicator);

}  // namespace tessera
