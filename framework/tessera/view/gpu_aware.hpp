// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "tessera/view/exchange.hpp"

namespace tessera {

/// The setting that says whether MPI may be given addresses in a device's memory: yes (`on`), no (`off`), or
/// only if a test succeeds (`detect`, see choose_transport).
enum class GpuAware : std::uint8_t { detect, on, off };

/// The transport that was chosen for messages, and the reason for this choice.
struct ChosenTransport {
  /// The transport that was chosen.
  Transport transport;
  /// The reason in words, which a program prints when it starts.
  std::string reason;
};

/// Chooses the transport for all ranks of `communicator` together. With GpuAware::detect, device addresses
/// are used only if MPI says that it supports them, and if a value that is sent from device to device
/// arrives. The second condition is tested because some MPI libraries wrongly say that they support device
/// addresses. If one of the conditions fails on any rank, messages are sent through pinned host memory.
/// Collective.
ChosenTransport choose_transport(MPI_Comm communicator, GpuAware wanted);

/// Sends a number from the kernel memory (MemorySpace) of this rank to the kernel memory of the next rank.
/// The last rank sends to the first one. Returns true when the number of the previous rank has arrived.
/// Collective.
bool device_message_arrives(MPI_Comm communicator);

}  // namespace tessera
