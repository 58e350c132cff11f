// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/regions.hpp"

#include <gtest/gtest.h>

#include "pipeline/planner/samples.hpp"

namespace {

using namespace tessera;

/// Four ranks, one above the other, each with eight rows of the image.
class RankRegionsTest : public testing::Test {
 protected:
  static Schedule slices() {
    Schedule schedule;
    schedule.grid = {{1, 4}};
    return schedule;
  }

  Pipeline pipeline_ = test::two_sums({{0, 100}, {0, 32}});
  ScheduledPipeline scheduled_{pipeline_, slices(), {}, 4};
  Regions others_{scheduled_};
  RankRegions regions_{scheduled_, 1, others_};
};

TEST_F(RankRegionsTest, ARankRequiresItsRowsAndWhatTheSumsRead) {
  EXPECT_EQ(regions_.required(ArrayId{2}), (Box{{0, 100}, {8, 16}}));
  EXPECT_EQ(regions_.required(ArrayId{1}), (Box{{0, 100}, {7, 17}}));
  EXPECT_EQ(regions_.computed(ArrayId{1}), (Box{{0, 100}, {8, 16}}));
}

TEST_F(RankRegionsTest, OneBufferHoldsWhatIsComputedAndWhatIsRead) {
  const Storage storage = regions_.storage(ArrayId{1});
  EXPECT_TRUE(storage.shared);
  EXPECT_EQ(storage.written, regions_.computed(ArrayId{1}));
  EXPECT_EQ(storage.read, regions_.required(ArrayId{1}));
}

TEST_F(RankRegionsTest, RowsAreExchangedWithBothNeighbours) {
  const ExchangeLists lists = regions_.messages(ArrayId{1});
  ASSERT_EQ(lists.sends.size(), 2U);
  EXPECT_EQ(lists.sends[0].partner, 0);
  EXPECT_EQ(lists.sends[0].box, (Box{{0, 100}, {8, 9}}));
  EXPECT_EQ(lists.sends[1].partner, 2);
  EXPECT_EQ(lists.sends[1].box, (Box{{0, 100}, {15, 16}}));
  ASSERT_EQ(lists.receives.size(), 2U);
  EXPECT_EQ(lists.receives[0].box, (Box{{0, 100}, {7, 8}}));
  EXPECT_EQ(lists.receives[1].box, (Box{{0, 100}, {16, 17}}));
}

TEST_F(RankRegionsTest, NothingIsCopiedWithinASharedBuffer) {
  EXPECT_TRUE(regions_.messages(ArrayId{1}).copies.empty());
}

TEST_F(RankRegionsTest, WholeRowsAreSentInPlace) {
  for (const Message& message : regions_.messages(ArrayId{1}).sends) EXPECT_TRUE(message.in_place);
}

}  // namespace
