// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/view/block.hpp"
#include "tessera/view/checked_accessor.hpp"

namespace tessera {

/// A rank's part of an array for the host to read and write: the memory itself where the host reaches it, and
/// otherwise a copy of it.
template <class T, int N, class Space = MemorySpace>
class HostView {
 public:
  /// Copies the part from the device, if there is one, once the kernels enqueued on `execution` are done.
  /// `name` is what errors call the view.
  HostView(const Block<Space>& block, const std::string& name, const ExecutionSpace& execution = {})
      : block_(block),
        name_(name),
        execution_(execution),
        memory_(Kokkos::create_mirror_view(block.memory())) {
    copy_from_device();
  }

  /// The points of the part, in global coordinates.
  const Box& box() const { return block_.box(); }
  /// Returns a reference to the host's array, for global coordinates. It must not be followed when the box is
  /// empty.
  ArrayReference reference() const {
    return box().empty() ? ArrayReference{} : block_.layout().reference(memory_.data());
  }
  /// Returns an accessor that reads and writes points by global coordinates.
  auto accessor() const { return bounded_accessor<T, N>(reference(), box(), name_); }

  /// Copies the part from the device again, and waits for it. It only waits for `execution` where the host
  /// reaches the memory.
  void copy_from_device() const { copy(memory_, block_.memory()); }
  /// Copies the part to the device, and waits for it. It only waits for `execution` where the host reaches
  /// the memory.
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
