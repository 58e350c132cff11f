// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace tessera {

/// The device on which a process computes. It is plain data, which ranks can send to each other.
struct Device {
  /// The number of the device among the devices that are visible to the process. It is -1 if kernels run on
  /// the host.
  int number = -1;
  /// The name of the model of the device, which ends with a zero byte. It is empty if the name is not known.
  std::array<char, 64> name{};
  /// The address of the device on the PCI bus of its machine node, which ends with a zero byte. All processes
  /// of the machine node see the same address. It is empty if the address is not known.
  std::array<char, 32> address{};
  /// Returns true when both devices have the same number, name and address.
  bool operator==(const Device&) const = default;
};

/// Returns the device of this process. Kokkos must be initialised.
Device own_device();

}  // namespace tessera
