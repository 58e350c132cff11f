// SPDX-License-Identifier: BSD-3-Clause
// The cases of the benchmark against the definition that the peers follow, point by point.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "apps/case_runs.hpp"
#include "apps/plain_stereo.hpp"
#include "synthetic_image.hpp"

namespace {

using namespace tessera;
using Image = test::WholeArray<std::uint8_t>;

Image image_of(const Box& box, const std::function<std::uint32_t(int, int)>& value) {
  Image image(box);
  test::for_each_point(box, [&](const Point& p) {
    image.at(p) = static_cast<std::uint8_t>(value(static_cast<int>(p[0]), static_cast<int>(p[1])));
  });
  return image;
}

TEST(StereoCase, IsThatOfThePeers) {
  const Box box{{0, 261}, {0, 23}};
  for (const auto& kind : {std::pair{"stereo", 2}, {"stereo4", 4}}) {
    const char* const name = kind.first;
    const int matches = kind.second;
    const Image reference =
        image_of(box, [](int x, int y) { return bench::synthetic_sample(x, y, 0) / 256u; });
    std::vector<Image> match;
    std::vector<int> baselines;
    for (int i = 1; i <= matches; ++i) {
      baselines.push_back(i);
      match.push_back(image_of(box, [i](int x, int y) {
        const int t = static_cast<int>(bench::synthetic_hash(x / 128, y / 128, 41) % 16);
        return bench::synthetic_sample(std::max(0, x - i * t), y, 0) / 256u * 15 / 16 +
               bench::synthetic_hash(x, y, 41 + i) / (1u << 28);
      }));
    }
    const test::PlainStereo<std::uint8_t> plain{reference, match, baselines, 1, 13, 16};
    const bench::Cases cases = test::cases_of(name, {261, 23});
    ASSERT_EQ(cases.size(), 1u);
    const test::Result result = test::run(cases[0], test::schedule_of(cases[0], "default"), 3, 2);
    // Every third row shows as much.
    test::for_each_point(box, [&](const Point& p) {
      if (p[1] % 3 != 0) return;
      EXPECT_EQ(result.value(p), plain.disparity(p[0], p[1])) << name << ": " << p[0] << ", " << p[1];
    });
  }
}

}  // namespace
