// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace tessera {

/// The device that a process computes on, as its system tells; ranks send it to each other.
struct Device {
  /// Among those that the process sees, which may be a part of its node's; -1: kernels run on the host.
  int number = -1;
  /// What it is, ended by a zero; empty: not known.
  std::array<char, 64> name{};
  /// Where it is on the node's bus, whichever devices a process sees; ended by a zero, empty: not known.
  std::array<char, 32> address{};
  bool operator==(const Device&) const = default;
};

/// That of this process, once Kokkos has started.
Device own_device();

}  // namespace tessera
