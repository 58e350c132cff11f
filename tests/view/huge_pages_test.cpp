// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/block.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using tessera::detail::whole_pages;

TEST(HugePages, AreAskedForWholePagesOnly) {
  constexpr std::uintptr_t page = 4096;
  for (std::uintptr_t begin : {page, page + 1, 2 * page - 1})
    for (std::size_t bytes = 0; bytes < 4 * page; bytes += 7) {
      const auto pages = whole_pages(reinterpret_cast<const void*>(begin), bytes, page);
      EXPECT_EQ(pages.begin % page, 0u);
      EXPECT_EQ(pages.end % page, 0u);
      EXPECT_GE(pages.begin, begin);
      ASSERT_LE(pages.begin, pages.end);
      EXPECT_LE(pages.end, std::max(pages.begin, begin + bytes));
      // No more than parts of two pages are left out.
      EXPECT_GT(pages.end - pages.begin + 2 * page, bytes);
    }
}

}  // namespace
