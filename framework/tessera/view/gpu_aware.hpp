// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "tessera/view/exchange.hpp"

namespace tessera {

/// Whether MPI may be given the addresses of a device's memory.
enum class GpuAware : std::uint8_t { detect, on, off };

/// The transport for messages, and why, as words for a start-up block.
struct ChosenTransport {
  Transport transport;
  std::string reason;
};

/// Decides for all ranks of `communicator` together. `detect` asks MPI, and believes it only if a value sent
/// from device to device arrives: MPI libraries have been known to promise more than they keep. When in
/// doubt, messages go through pinned host memory. Collective.
ChosenTransport choose_transport(MPI_Comm communicator, GpuAware wanted);

/// Sends one number from where kernels keep their memory to the next rank's, and says whether it came.
/// Collective.
bool device_message_arrives(MPI_Comm communicator);

}  // namespace tessera
