// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/block.hpp"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace tessera {

detail::PageRange detail::whole_pages(const void* memory, std::size_t bytes, std::size_t page) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) / page * page, end = (begin + bytes) / page * page;
  return {first, end < first ? first : end};
}

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t least = 8 << 20;
  if (bytes < least) return;
  const auto pages = detail::whole_pages(memory, bytes, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  // If the system has no huge pages, the call fails and has no effect.
  static_cast<void>(madvise(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, MADV_HUGEPAGE));
#endif
}

}  // namespace tessera
