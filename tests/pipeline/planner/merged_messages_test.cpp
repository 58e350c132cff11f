// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/detail/planner.hpp"

#include <gtest/gtest.h>

#include "pipeline/planner/samples.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/regions.hpp"

namespace {

using namespace tessera;

const Box image{{0, 32}, {0, 8}};

/// Two inputs: of bytes, and of floats.
Pipeline two_inputs() {
  Pipeline pipeline;
  pipeline.input<std::uint8_t, 2>("bytes", image);
  pipeline.input<float, 2>("floats", image);
  return pipeline;
}

Message row(int partner, std::int64_t y, bool in_place) {
  return {partner, Box{{0, 5}, {y, y + 1}}, {}, in_place};
}

TEST(MergedMessages, OneBoxInPlaceNeedsNoBuffer) {
  plan::Exchange exchange{{{ArrayId{1}, {{row(1, 0, true)}, {row(2, 1, true)}, {}}}}};
  EXPECT_EQ(merge_messages(exchange, two_inputs()), 0);
  EXPECT_TRUE(exchange.arrays[0].lists.sends[0].in_place);
  EXPECT_TRUE(exchange.arrays[0].lists.receives[0].in_place);
}

TEST(MergedMessages, OneBoxThatIsPackedTakesItsBytesRoundedUp) {
  // 5 floats are 20 bytes: 32 in the message, and 64 in the buffer.
  plan::Exchange exchange{{{ArrayId{1}, {{row(1, 0, false)}, {}, {}}}}};
  EXPECT_EQ(merge_messages(exchange, two_inputs()), 64);
}

TEST(MergedMessages, SeveralBoxesForOnePartnerArePacked) {
  plan::Exchange exchange{{{ArrayId{1}, {{row(1, 0, true), row(1, 2, true)}, {}, {}}}}};
  EXPECT_EQ(merge_messages(exchange, two_inputs()), 64);
  for (const Message& message : exchange.arrays[0].lists.sends) EXPECT_FALSE(message.in_place);
}

TEST(MergedMessages, BoxesOfSeveralArraysForOnePartnerArePackedTogether) {
  plan::Exchange exchange{{{ArrayId{0}, {{row(1, 0, true)}, {}, {}}},
                           {ArrayId{1}, {{row(1, 0, true), row(2, 0, true)}, {}, {}}}}};
  // 16 bytes of the first array and 32 of the second one share the buffer for rank 1.
  EXPECT_EQ(merge_messages(exchange, two_inputs()), 64);
  EXPECT_FALSE(exchange.arrays[0].lists.sends[0].in_place);
  EXPECT_FALSE(exchange.arrays[1].lists.sends[0].in_place);
  EXPECT_TRUE(exchange.arrays[1].lists.sends[1].in_place);
}

TEST(MergedMessages, SidesAndPartnersHaveBuffersOfTheirOwn) {
  plan::Exchange exchange{{{ArrayId{1}, {{row(1, 0, false), row(2, 0, false)}, {row(1, 1, false)}, {}}}}};
  EXPECT_EQ(merge_messages(exchange, two_inputs()), 3 * 64);
}

/// Four ranks, one above the other: rows are sent from where they lie, and nothing within one buffer.
TEST(RankRegions, WholeRowsAreSentInPlace) {
  const Pipeline pipeline = test::two_sums({{0, 100}, {0, 32}});
  Schedule schedule;
  schedule.grid = {{1, 4}};
  const ScheduledPipeline scheduled(pipeline, schedule, {}, 4);
  Regions others(scheduled);
  const ExchangeLists lists = RankRegions(scheduled, 1, others).messages(ArrayId{1});
  EXPECT_TRUE(lists.copies.empty());
  ASSERT_EQ(lists.sends.size(), 2U);
  for (const Message& message : lists.sends) EXPECT_TRUE(message.in_place);
}

}  // namespace
