// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/view/block.hpp"
#include "tessera/view/checked_accessor.hpp"

namespace tessera {

/// A rank's part of an array where the host can read and write it: the memory itself where the host reaches
/// it, else a copy of it.
template <class T, int N, class Space = MemorySpace>
class HostView {
 public:
  /// Copies from the device, if there is one, once the kernels enqueued on `execution` are done.
  HostView(const Block<Space>& block, const std::string& name, const ExecutionSpace& execution = {})
      : block_(block),
        name_(name),
        execution_(execution),
        memory_(Kokkos::create_mirror_view(block.memory())) {
    copy_from_device();
  }

  const Box& box() const { return block_.box(); }
  ArrayReference reference() const {
    return box().empty() ? ArrayReference{} : block_.layout().reference(memory_.data());
  }
  /// Indexed by global coordinates.
  auto accessor() const { return bounded_accessor<T, N>(reference(), box(), name_); }

  /// Both do nothing where the host reaches the memory. Done on return.
  void copy_from_device() const { copy(memory_, block_.memory()); }
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
