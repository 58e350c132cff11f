// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

namespace detail {

/// Addresses.
struct PageRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
/// The whole pages in memory.
PageRange whole_pages(const void* memory, std::size_t bytes, std::size_t page);

}  // namespace detail

/// Asks the system for large pages under memory of the host that is not touched yet, where it has them and
/// gives them to who asks: arrays of many rows then miss the translations of fewer addresses. A matter of
/// speed only; less than a few of them are not asked for.
void prefer_huge_pages(void* memory, std::size_t bytes);

}  // namespace tessera
