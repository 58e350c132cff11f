// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/view/block.hpp"
#include "tessera/view/checked_accessor.hpp"

namespace tessera {

/// Gives the host access to a rank's part of an array. If the host can access the memory of the part, a
/// HostView uses this memory. Otherwise it holds a copy of the part in host memory.
template <class T, int N, class Space = MemorySpace>
class HostView {
 public:
  /// Waits for the kernels that were enqueued on `execution`. If the host cannot access the memory of the
  /// part, the part is then copied from the device. Error messages call the view `name`.
  HostView(const Block<Space>& block, const std::string& name, const ExecutionSpace& execution = {})
      : block_(block),
        name_(name),
        execution_(execution),
        memory_(Kokkos::create_mirror_view(block.memory())) {
    copy_from_device();
  }

  /// The points of the part, in global coordinates.
  const Box& box() const { return block_.box(); }
  /// Returns a reference to the array in host memory, for global coordinates. The reference must not be used
  /// when the box is empty.
  ArrayReference reference() const {
    return box().empty() ? ArrayReference{} : block_.layout().reference(memory_.data());
  }
  /// Returns an accessor that reads and writes points by global coordinates.
  auto accessor() const { return bounded_accessor<T, N>(reference(), box(), name_); }

  /// Copies the part from the device again, after all work on the execution space instance of the
  /// constructor, and waits until it is copied. If the host can access the memory of the part, nothing is
  /// copied, and the call only waits for that work.
  void copy_from_device() const { copy(memory_, block_.memory()); }
  /// Copies the part to the device, after all work on the execution space instance of the constructor, and
  /// waits until it is copied. If the host can access the memory of the part, nothing is copied, and the call
  /// only waits for that work.
  void copy_to_device() const { copy(block_.memory(), memory_); }

 private:
  using Memory = Kokkos::View<std::byte*, Space>;

  template <class To, class From>
  void copy(const To& to, const From& from) const {
    execution_.fence();
    compat::copy(execution_, to, from);
    execution_.fence();
  }

  Block<Space> block_;
  std::string name_;
  ExecutionSpace execution_;
  decltype(Kokkos::create_mirror_view(std::declval<const Memory&>())) memory_;
};

}  // namespace tessera
