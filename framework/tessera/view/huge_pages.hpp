// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace detail

/// Asks the operating system to use huge pages for host memory that has not been accessed yet. Access to
/// arrays of many rows then causes fewer misses in the TLB, which translates addresses. The call affects
/// nothing but speed. It does nothing for fewer than 8 MiB, or if the system has no huge pages.
void prefer_huge_pages(void* memory, std::size_t bytes);

}  // namespace tessera
