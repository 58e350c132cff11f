// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/block_layout.hpp"
#include "tessera/view/launch.hpp"

namespace tessera {
namespace detail {

/// A range of addresses [begin, end).
struct PageRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
/// Returns the range of the whole pages, of `page` bytes each, that lie in the `bytes` bytes from `memory`
/// on.
PageRange whole_pages(const void* memory, std::size_t bytes, std::size_t page);

/// A kernel that writes to one page of memory. It is not a private member of Block, because nvcc requires
/// that kernels are public.
struct TouchPage {
  static constexpr std::int64_t size = 4096;
  std::byte* data;
  KOKKOS_FUNCTION void operator()(std::int64_t page) const { data[page * size] = std::byte{0}; }
};

}  // namespace detail

/// Asks the operating system to use huge pages for host memory that has not been accessed yet. Access to
/// arrays of many rows then causes fewer misses in the TLB, which translates addresses. The call affects
/// nothing but speed. It does nothing for fewer than 8 MiB, or if the system has no huge pages.
void prefer_huge_pages(void* memory, std::size_t bytes);

/// The memory of one rank's part of an array: a box of points in one Kokkos allocation, with padding. The
/// element type of the array is not part of the C++ type. The contents are undefined at first. Each page of
/// the memory is first touched by the thread that will compute on it.
template <class Space = MemorySpace>
class Block {
 public:
  /// Makes a block without points or memory.
  Block() = default;
  /// Allocates memory for the points of `box`, of `element_size` bytes each. See padded_layout for
  /// `aligned_x`. The Kokkos allocation has the label `name`. On hosts the system is asked for huge pages.
  Block(const std::string& name, std::int64_t element_size, const Box& box, std::int64_t aligned_x)
      : layout_(padded_layout(box, aligned_x, element_size)),
        memory_(Kokkos::view_alloc(Kokkos::WithoutInitializing, name),
                static_cast<std::size_t>(layout_.bytes)) {
    if constexpr (std::is_same_v<Space, Kokkos::HostSpace>)
      prefer_huge_pages(memory_.data(), static_cast<std::size_t>(layout_.bytes));
    first_touch(HostMode::kernels);
  }
  /// Makes a block in the existing memory `memory`, which must have at least `layout.bytes` bytes and be
  /// aligned to 64 bytes. `mode` says which threads touch the pages of the memory first.
  Block(const BlockLayout& layout, const Kokkos::View<std::byte*, Space>& memory, HostMode mode)
      : layout_(layout), memory_(memory) {
    first_touch(mode);
  }

  /// Makes a block in memory that has been touched before.
  Block(const BlockLayout& layout, const Kokkos::View<std::byte*, Space>& memory)
      : layout_(layout), memory_(memory) {}

  /// The points that the block holds, in global coordinates.
  const Box& box() const { return layout_.box; }
  /// The layout of the points in memory.
  const BlockLayout& layout() const { return layout_; }
  /// The size of the memory in bytes, padding included.
  std::int64_t bytes() const { return layout_.bytes; }
  /// Returns a reference to the points of the block. If the box is empty, no point may be read or written
  /// through the reference.
  ArrayReference reference() const {
    return box().empty() ? ArrayReference{} : layout_.reference(memory_.data());
  }
  /// The memory itself.
  const Kokkos::View<std::byte*, Space>& memory() const { return memory_; }

  /// Returns the points of `part` in the form that sources and sinks take. `part` must lie within the box of
  /// this block. `host_memory` is the memory of this block, or a copy of the memory that the host can access.
  /// `type` is the type of the elements.
  HostBlock host_block(const Box& part, std::byte* host_memory, ElementType type) const {
    HostBlock block{nullptr, type, part, {1}};
    std::int64_t offset = layout_.first;
    for (int d = 0; d < part.dimensions; ++d) {
      block.strides[d] = layout_.strides[d];
      offset += layout_.strides[d] * (part[d].begin - box()[d].begin);
    }
    if (!part.empty()) block.data = host_memory + offset * layout_.element_size;
    return block;
  }

 private:
  void first_touch([[maybe_unused]] HostMode mode) {
    using Execution = typename Space::execution_space;
    if (layout_.bytes == 0) return;
    const Execution execution;
    const std::int64_t pages = (layout_.bytes + detail::TouchPage::size - 1) / detail::TouchPage::size;
    for_each_index(execution, mode, "tessera: first touch", pages, detail::TouchPage{memory_.data()});
    execution.fence();
  }

  BlockLayout layout_;
  Kokkos::View<std::byte*, Space> memory_;
};

}  // namespace tessera
