// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/block_io.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace tessera {
namespace {

/// A block of `box` of int32 in which the value of each point tells its coordinates.
struct Numbered {
  explicit Numbered(const Box& box)
      : memory(static_cast<std::size_t>(box.size()) * 4),
        block(packed_block(memory.data(), ElementType::int32, box)) {}

  /// Calls use(value, value that tells the coordinates) for all points.
  template <class Use>
  void for_each(const Use& use) {
    std::size_t at = 0;
    const Range planes = block.box.dimensions == 3 ? block.box[2] : Range{0, 1};
    for (std::int64_t z = planes.begin; z < planes.end; ++z)
      for (std::int64_t y = block.box[1].begin; y < block.box[1].end; ++y)
        for (std::int64_t x = block.box[0].begin; x < block.box[0].end; ++x, at += 4) {
          std::int32_t value = 0;
          std::memcpy(&value, &memory[at], 4);
          use(value, static_cast<std::int32_t>(10000 * z + 100 * y + x), x, y);
          std::memcpy(&memory[at], &value, 4);
        }
  }
  std::vector<std::byte> memory;
  HostBlock block;
};

TEST(HostCopy, CopiesAPartOfABlockAndNothingElse) {
  for (const int dimensions : {2, 3}) {
    Box inner{{3, 12}, {-2, 5}}, outer{{0, 9}, {-4, 9}};
    if (dimensions == 3) inner = {{3, 12}, {-2, 5}, {0, 3}}, outer = {{0, 9}, {-4, 9}, {1, 2}};
    Numbered from(inner), to(outer);
    from.for_each([](std::int32_t& value, std::int32_t number, auto...) { value = number; });
    to.for_each([](std::int32_t& value, auto...) { value = -1; });
    copy_part(from.block, to.block, intersection(inner, outer));
    to.for_each([&](std::int32_t value, std::int32_t number, std::int64_t x, std::int64_t y) {
      const bool is_copied = x >= 3 && y >= -2 && y < 5;
      EXPECT_EQ(value, is_copied ? number : -1);
    });
  }
}

TEST(HostCopy, CopiesNothingOfAnEmptyPart) {
  Numbered to(Box{{4, 8}, {0, 4}});
  to.for_each([](std::int32_t& value, auto...) { value = 7; });
  const HostBlock empty = packed_block(nullptr, ElementType::int32, Box{{0, 0}, {0, 4}});
  copy_part(empty, to.block, empty.box);
  copy_part(to.block, empty, empty.box);
  to.for_each([](std::int32_t value, auto...) { EXPECT_EQ(value, 7); });
}

}  // namespace
}  // namespace tessera
