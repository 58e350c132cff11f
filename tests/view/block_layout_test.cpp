// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/block_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/view/block.hpp"
#include "tessera/view/distributed_view.hpp"
#include "view/pattern.hpp"

namespace {

using namespace tessera;
using test::Point;

struct Sample {
  Box box;
  std::int64_t aligned_x = 0;
  std::int64_t element_size = 1;
  BlockLayout layout;

  std::string text() const {
    return to_string(box) + " aligned at " + std::to_string(aligned_x) + ", elements of " +
           std::to_string(element_size);
  }
};

Sample random_sample(test::Random& random) {
  Sample sample;
  sample.box = random.box(random.small(1, 3), -20, 20, 6);
  sample.box[0].end = sample.box[0].begin + random.between(1, random.chance(20) ? 9000 : 700);
  sample.aligned_x = random.between(sample.box[0].begin - 2, sample.box[0].begin + 70);
  sample.element_size = std::int64_t{1} << random.between(0, 3);
  sample.layout = padded_layout(sample.box, sample.aligned_x, sample.element_size);
  return sample;
}

std::int64_t width_in_bytes(const Sample& sample) { return sample.box[0].size() * sample.element_size; }

TEST(PaddedLayout, FirstOwnedElementOfEveryRowIsAligned) {
  test::Random random(31);
  int padded = 0;
  for (int i = 0; i < 3000; ++i) {
    const Sample s = random_sample(random);
    if (width_in_bytes(s) < 256) continue;
    ++padded;
    const std::int64_t owned = std::max(s.aligned_x, s.box[0].begin) - s.box[0].begin;
    EXPECT_EQ((s.layout.first + owned) * s.element_size % 64, 0) << s.text();
    for (int d = 1; d < s.box.dimensions; ++d)
      EXPECT_EQ(s.layout.strides[d] * s.element_size % 64, 0) << s.text();
  }
  EXPECT_GT(padded, 1000);
}

TEST(PaddedLayout, RowsAreAnOddNumberOfCacheLinesApart) {
  test::Random random(32);
  for (int i = 0; i < 3000; ++i) {
    Sample s = random_sample(random);
    if (random.chance(50)) {
      s.box[0].end = s.box[0].begin + 4096 * random.between(1, 4) / s.element_size - random.between(0, 70);
      s.layout = padded_layout(s.box, s.aligned_x, s.element_size);
    }
    if (width_in_bytes(s) < 256 || s.box.dimensions == 1) continue;
    EXPECT_EQ(s.layout.strides[1] * s.element_size % 128, 64) << s.text();
  }
}

TEST(PaddedLayout, PadsARowByAtMost192Bytes) {
  test::Random random(33);
  for (int i = 0; i < 6000; ++i) {
    Sample s = random_sample(random);
    if (random.chance(50)) {
      s.element_size = random.one_of<std::int64_t>({3, 5, 6, 10, 12, 20, 24, 40, 48, 56});
      s.layout = padded_layout(s.box, s.aligned_x, s.element_size);
    }
    const std::int64_t rows = s.box.size() / s.box[0].size();
    EXPECT_LE(s.layout.bytes, rows * (width_in_bytes(s) + 192)) << s.text();
    EXPECT_GE(s.layout.bytes, s.box.size() * s.element_size) << s.text();
  }
}

TEST(PaddedLayout, NarrowRowsAreNotPadded) {
  test::Random random(34);
  for (int i = 0; i < 1000; ++i) {
    Sample s = random_sample(random);
    s.box[0].end = s.box[0].begin + random.between(1, 255 / s.element_size);
    const BlockLayout layout = padded_layout(s.box, s.aligned_x, s.element_size);
    EXPECT_EQ(layout.first, 0) << s.text();
    EXPECT_EQ(layout.bytes, s.box.size() * s.element_size) << s.text();
  }
}

TEST(DenseLayout, HasNoGaps) {
  test::Random random(35);
  for (int i = 0; i < 300; ++i) {
    const Box box = random.box(random.small(1, 4), -9, 9, 5);
    const BlockLayout layout = dense_layout(box, 2);
    EXPECT_EQ(layout.bytes, 2 * box.size());
    test::for_each_point(box, [&](const Point& p) {
      std::int64_t offset = layout.first;
      for (int d = 0; d < box.dimensions; ++d) offset += layout.strides[d] * (p[d] - box[d].begin);
      EXPECT_EQ(offset, static_cast<std::int64_t>(test::dense_index(box, p)));
    });
  }
}

TEST(Layouts, ReferenceReachesEveryPointOnce) {
  test::Random random(36);
  for (int i = 0; i < 60; ++i) {
    const Sample s = random_sample(random);
    std::vector<std::byte> memory(static_cast<std::size_t>(s.layout.bytes));
    const ArrayReference array = s.layout.reference(memory.data());
    std::vector<int> visits(memory.size(), 0);
    bool inside = true;
    test::for_each_point(s.box, [&](const Point& p) {
      std::int64_t offset = array.origin - memory.data();
      for (int d = 0; d < s.box.dimensions; ++d) offset += array.strides[d] * p[d] * s.element_size;
      inside = inside && offset >= 0 && offset + s.element_size <= s.layout.bytes;
      if (inside) ++visits[static_cast<std::size_t>(offset)];
    });
    EXPECT_TRUE(inside) << s.text();
    std::int64_t reached = 0;
    for (int count : visits) {
      EXPECT_LE(count, 1) << s.text();
      reached += count;
    }
    EXPECT_EQ(reached, s.box.size()) << s.text();
  }
}

TEST(Layouts, OfEmptyBoxesNeedNoMemory) {
  EXPECT_EQ(padded_layout(Box{{3, 3}, {0, 900}}, 3, 4).bytes, 0);
  EXPECT_EQ(padded_layout(Box{{0, 900}, {5, 5}}, 0, 4).bytes, 0);
  EXPECT_EQ(padded_layout(Box{}, 0, 4).bytes, 0);
  EXPECT_EQ(dense_layout(Box{{0, 9}, {4, 2}}, 4).bytes, 0);
}

TEST(Block, HostBlockAndReferenceAgree) {
  const Box box{{-3, 200}, {10, 14}, {0, 2}};
  const Block<compat::HostPinnedSpace> block("block", 2, box, 0);
  const ArrayReference array = block.reference();
  test::for_each_point(box, [&](const Point& p) {
    test::element<std::uint16_t>(array, p) = static_cast<std::uint16_t>(test::pattern(p));
  });
  const Box part{{5, 90}, {11, 13}, {1, 2}};
  const HostBlock host = block.host_block(part, block.memory().data(), ElementType::uint16);
  EXPECT_EQ(host.box, part);
  EXPECT_EQ(host.type, ElementType::uint16);
  EXPECT_EQ(host.strides[0], 1);
  test::for_each_point(part, [&](const Point& p) {
    std::int64_t offset = 0;
    for (int d = 0; d < 3; ++d) offset += host.strides[d] * (p[d] - part[d].begin);
    EXPECT_EQ(reinterpret_cast<const std::uint16_t*>(host.data)[offset],
              static_cast<std::uint16_t>(test::pattern(p)));
  });
}

TEST(Block, OfAnEmptyBoxHasNoMemory) {
  const Block<> block("block", 4, Box{{4, 4}, {0, 3}}, 4);
  EXPECT_EQ(block.bytes(), 0);
  EXPECT_EQ(block.reference().origin, nullptr);
  EXPECT_EQ(block.host_block(block.box(), nullptr, ElementType::float32).data, nullptr);
}

TEST(DistributedView, HoldsWhatItOwnsAndWhatIsRequired) {
  const Box domain{{0, 300}, {0, 10}};
  const BlockDistribution blocks(domain, domain, {2, {1, 3, 1, 1}});
  const DistributedView<float, 2> view("view", blocks, 1, [](int, int) { return Box{{-2, 280}, {2, 7}}; });
  EXPECT_EQ(view.owned(), (Box{{0, 300}, {4, 8}}));
  EXPECT_EQ(view.required(), (Box{{-2, 300}, {2, 8}}));
  EXPECT_EQ(view.domain(), domain);
  EXPECT_EQ(view.distribution().rank_count(), 3);
  const HostView<float, 2> host = view.host();
  const auto at = host.accessor();
  for (int y = 2; y < 8; ++y) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&at(0, y)) % 64, 0u) << y;
    for (int x = -2; x < 300; ++x) at(x, y) = static_cast<float>(1000 * y + x);
  }
  EXPECT_EQ(at(-2, 2), 1998.0f);
  EXPECT_EQ(at(299, 7), 7299.0f);
  EXPECT_EQ(&at(5, 3), (&test::element<float>(host.reference(), {{5, 3, 0, 0}})));
  if (runs_on_host) {
    EXPECT_EQ(&at(5, 3), (&test::element<float>(view.block().reference(), {{5, 3, 0, 0}})));
  }
}

TEST(HugePages, AreAskedForWholePagesOnly) {
  constexpr std::uintptr_t page = 4096;
  for (std::uintptr_t begin : {page, page + 1, 2 * page - 1})
    for (std::size_t bytes = 0; bytes < 4 * page; bytes += 7) {
      const auto pages = detail::whole_pages(reinterpret_cast<const void*>(begin), bytes, page);
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
