// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/huge_pages.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tessera/view/machine.hpp"

namespace {

TEST(HugePages, LeaveMemoryAsItIsWhereverItBegins) {
  constexpr std::size_t bytes = 40 << 20;
  std::vector<unsigned char> memory(bytes);
  for (std::size_t i = 0; i < bytes; i += 1001) memory[i] = static_cast<unsigned char>(i % 251);
  for (std::size_t offset : {0, 1, 64, 4095, 4096, 2 << 20})
    for (std::size_t size : {std::size_t(0), std::size_t(1), std::size_t(8) << 20, bytes - offset})
      tessera::prefer_huge_pages(memory.data() + offset, size);
  tessera::prefer_huge_pages(nullptr, 0);
  for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(memory[i], i % 1001 == 0 ? i % 251 : 0) << i;
}

TEST(CacheBytes, AreOfSomeSensibleSize) {
  const auto bytes = tessera::cache_bytes();
  EXPECT_TRUE(bytes == 0 || (bytes >= 64 << 10 && bytes < std::int64_t(1) << 36)) << bytes;
  EXPECT_EQ(tessera::cache_bytes(), bytes);
}

}  // namespace
