// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "messages.hpp"

namespace tessera::app {
namespace {

struct Place {
  std::string_view node = "a";
  std::initializer_list<int> processors = {0};
  int threads = 1;
  std::int64_t bytes = 1024;
  Device device = {};
};

Device device(int number, std::string_view name = "", std::string_view address = "") {
  Device device{.number = number};
  std::copy(name.begin(), name.end(), device.name.begin());
  std::copy(address.begin(), address.end(), device.address.begin());
  return device;
}

std::vector<RankPlacement> placed(std::initializer_list<Place> places) {
  std::vector<RankPlacement> ranks;
  for (const Place& place : places) {
    RankPlacement rank{.threads = place.threads, .device = place.device, .peak_bytes = place.bytes};
    std::copy(place.node.begin(), place.node.end(), rank.node.begin());
    CPU_ZERO(&rank.affinity.processors);
    for (const int processor : place.processors)
      CPU_SET(static_cast<std::size_t>(processor), &rank.affinity.processors);
    ranks.push_back(rank);
  }
  return ranks;
}

TEST(PlacementTest, NeighboursAtOnePlaceShareALine) {
  const auto ranks = placed({{.processors = {0, 1, 2, 5}},
                             {.processors = {0, 1, 2, 5}, .bytes = 2048},
                             {.processors = {3}},
                             {.node = "b", .processors = {3}}});
  EXPECT_EQ(placement_text(ranks, false),
            "ranks 0-1: node a, processors 0-2,5, at most 2.0 KiB each\n"
            "rank 2: node a, processor 3, at most 1.0 KiB\n"
            "rank 3: node b, processor 3, at most 1.0 KiB");
  EXPECT_EQ(placement_text(ranks, true).substr(0, 59),
            "rank 0: node a, processors 0-2,5, at most 1.0 KiB\nrank 1: n");
}

TEST(PlacementTest, ManyPlacesAreCutShort) {
  std::vector<RankPlacement> ranks;
  for (int i = 0; i < 7; ++i) ranks.push_back(placed({{.processors = {i}}}).front());
  const std::string text = placement_text(ranks, false);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  EXPECT_NE(text.find("\nand 3 more places: --verbose lists all ranks"), std::string::npos) << text;
  const std::string all = placement_text(ranks, true);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 6) << all;
}

TEST(PlacementTest, Devices) {
  EXPECT_EQ(placement_text(placed({{.device = device(0, "Sample 100", "0000:3B:00.0")},
                                   {.device = device(1, "Sample 100", "0000:AF:00.0")},
                                   {.device = device(2, "Sample 100")},
                                   {.device = device(3)}}),
                           false),
            "rank 0: node a, processor 0, device 0 (Sample 100 at 0000:3B:00.0), at most 1.0 KiB\n"
            "rank 1: node a, processor 0, device 1 (Sample 100 at 0000:AF:00.0), at most 1.0 KiB\n"
            "rank 2: node a, processor 0, device 2 (Sample 100), at most 1.0 KiB\n"
            "rank 3: node a, processor 0, device 3, at most 1.0 KiB");
}

TEST(PlacementTest, RanksOfOneDeviceShareALineAndAreWarnedOf) {
  const auto ranks = placed({{.device = device(0, "Sample 100", "0000:3B:00.0")},
                             {.device = device(0, "Sample 100", "0000:3B:00.0")}});
  EXPECT_EQ(placement_text(ranks, false),
            "ranks 0-1: node a, processor 0, device 0 (Sample 100 at 0000:3B:00.0), at most 1.0 KiB each");
  test::expect_message(overlap_warning(ranks),
                       {"2 threads of ranks 0-1", "share the device at 0000:3B:00.0"});
}

// Each rank may see but its own, and call it the first.
TEST(PlacementTest, DevicesOfOneNumberMayBeSeveral) {
  EXPECT_EQ(overlap_warning(placed({{.processors = {0}, .device = device(0, "", "0000:3B:00.0")},
                                    {.processors = {1}, .device = device(0, "", "0000:AF:00.0")},
                                    {.processors = {2}, .device = device(0)},
                                    {.processors = {3}, .device = device(0)},
                                    {.node = "b", .device = device(0, "", "0000:3B:00.0")}})),
            "");
}

TEST(PlacementTest, ThreadsThatHaveTheirOwnProcessorsAreNoOverlap) {
  EXPECT_EQ(
      overlap_warning(placed({{.processors = {0, 1}, .threads = 2}, {.processors = {2, 3}, .threads = 2}})),
      "");
  EXPECT_EQ(overlap_warning(placed({{.processors = {0, 1}}, {.processors = {0, 1}}})), "");
  EXPECT_EQ(overlap_warning(placed({{.threads = 1}, {.node = "b", .threads = 1}})), "");
}

TEST(PlacementTest, MoreThreadsThanProcessorsAreAnOverlap) {
  test::expect_message(overlap_warning(placed({{.threads = 2}})), {"2 threads of rank 0", "processor 0"});
  test::expect_message(overlap_warning(placed({{.node = "b"},
                                               {.processors = {0, 1}, .threads = 2},
                                               {.processors = {1, 2}},
                                               {.processors = {4}},
                                               {.processors = {0, 1}}})),
                       {"4 threads of ranks 1-2,4", "processors 0-2"});
}

}  // namespace
}  // namespace tessera::app
