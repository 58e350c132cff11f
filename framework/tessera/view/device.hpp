// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace tessera {

/// The device that a process computes on, as its system describes it. It is plain data, which ranks send to
/// each other.
struct Device {
  /// The number of the device among those that the process can see, which may be only some of its node's. -1:
  /// kernels run on the host.
  int number = -1;
  /// The name of the device's model, ended by a zero. Empty: it is not known.
  std::array<char, 64> name{};
  /// The address of the device on the node's bus, which is the same for all processes of the node, ended by a
  /// zero. Empty: it is not known.
  std::array<char, 32> address{};
  /// Returns true when numbers, names and addresses are equal.
  bool operator==(const Device&) const = default;
};

/// Returns the device of this process. Kokkos must have been started.
Device own_device();

}  // namespace tessera
