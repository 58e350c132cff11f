// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exchange.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tessera/view/halo_exchange.hpp"
#include "tessera/view/mpi_objects.hpp"
#include "view/exchange_sample.hpp"
#include "view/pattern.hpp"

namespace {

using namespace tessera;
using test::ExchangeSample;
using test::Point;

template <class T>
T expected(const ExchangeSample& sample, const Point& point, int round) {
  const test::ExpectedSource source = test::expected_source(sample, point);
  T value;
  if (source.constant)
    std::memcpy(&value, sample.boundary.constant.data(), sizeof value);
  else
    value = static_cast<T>(test::pattern(source.point) + static_cast<std::uint64_t>(round) * 77);
  return value;
}

template <class T, int N>
DistributedView<T, N> view_of(const ExchangeSample& sample, int rank) {
  return {"view", sample.blocks, rank, [sample](int first, int last) { return sample.need(first, last); },
          sample.boundary};
}

/// The points that the rank owns as in `round`, and anything in its ghosts.
template <class View>
void prepare(const View& view, const ExchangeSample& sample, int round) {
  using T = typename View::Value;
  const Box owned = view.owned();
  const auto host = view.host();
  test::for_each_point(view.required(), [&](const Point& p) {
    test::element<T>(host.reference(), p) = contains(owned, p) ? expected<T>(sample, p, round) : T(99);
  });
  host.copy_to_device();
}

template <class View>
std::int64_t count_wrong(const View& view, const ExchangeSample& sample, int round) {
  using T = typename View::Value;
  const auto host = view.host();
  std::int64_t wrong = 0;
  const auto check = [&](const Point& p) {
    if (!test::expected_source(sample, p).defined) return;
    wrong += test::element<T>(host.reference(), p) != expected<T>(sample, p, round);
  };
  test::for_each_point(view.owned(), check);
  test::for_each_point(sample.need(view.rank(), view.rank() + 1), check);
  return wrong;
}

/// Runs one exchange of two views twice, with other values the second time, and checks every point needed.
template <int N>
void expect_exchanged(const Communicator& communicator, const ExchangeSample& sample,
                      const Transport& transport) {
  const int rank = communicator.rank();
  const auto bytes = view_of<std::uint8_t, N>(sample, rank);
  const auto words = view_of<std::uint32_t, N>(sample, rank);
  HaloExchange exchange(transport, communicator.handle(), bytes, words);
  for (int round = 0; round < 2; ++round) {
    prepare(bytes, sample, round);
    prepare(words, sample, round);
    exchange.run();
    ExecutionSpace().fence();
    EXPECT_EQ(count_wrong(bytes, sample, round), 0) << sample.text() << ", rank " << rank << ", " << round;
    EXPECT_EQ(count_wrong(words, sample, round), 0) << sample.text() << ", rank " << rank << ", " << round;
  }
}

void expect_exchanged(const Communicator& communicator, const ExchangeSample& sample,
                      const Transport& transport = {}) {
  switch (sample.blocks.domain().dimensions) {
    case 1:
      return expect_exchanged<1>(communicator, sample, transport);
    case 2:
      return expect_exchanged<2>(communicator, sample, transport);
    case 3:
      return expect_exchanged<3>(communicator, sample, transport);
    default:
      return expect_exchanged<4>(communicator, sample, transport);
  }
}

TEST(Exchange, FillsEveryNeededPoint) {
  const Communicator communicator(MPI_COMM_WORLD);
  test::Random random(61);
  for (int i = 0; i < 300; ++i)
    expect_exchanged(communicator, test::random_exchange(random, communicator.size(), 500));
}

TEST(Exchange, ThroughSharedWindowsFillsEveryNeededPoint) {
  const Communicator communicator(MPI_COMM_WORLD);
  test::Random random(63);
  Transport transport;
  transport.shared_windows = true;
  for (int i = 0; i < 60; ++i)
    expect_exchanged(communicator, test::random_exchange(random, communicator.size(), 500), transport);
}

TEST(Exchange, ThroughHostCopiesOfBuffersFillsEveryNeededPoint) {
  const Communicator communicator(MPI_COMM_WORLD);
  test::Random random(64);
  Transport transport;
  transport.device_addresses = false;
  for (int i = 0; i < 60; ++i)
    expect_exchanged(communicator, test::random_exchange(random, communicator.size(), 500), transport);
}

/// Slices along y whose rows are wide enough to be padded: slabs travel in place.
ExchangeSample wide_slabs(int ranks) {
  const Box box{{0, 3000}, {0, 40}};
  ExchangeSample sample;
  sample.blocks = BlockDistribution(box, box, {2, {1, ranks, 1, 1}});
  sample.reach[1][0] = -9;
  sample.reach[1][1] = 3;
  return sample;
}

/// Also with ghosts left and right, which the boundary fills in afterwards.
class SlabsInPlace : public testing::TestWithParam<std::int64_t> {};

TEST_P(SlabsInPlace, AreSent) {
  const Communicator communicator(MPI_COMM_WORLD);
  ExchangeSample sample = wide_slabs(communicator.size());
  sample.boundary = Boundary::clamp;
  sample.reach[0][0] = -GetParam();
  sample.reach[0][1] = GetParam();
  for (const Message& message : sample.lists(communicator.rank(), communicator.size(), 4).receives)
    EXPECT_TRUE(message.in_place) << to_string(message.box);
  const auto view = view_of<float, 2>(sample, communicator.rank());
  HaloExchange exchange(communicator.handle(), view);
  EXPECT_TRUE(!runs_on_host || exchange.buffer_bytes() == 0);
  for (int round = 0; round < 2; ++round) {
    prepare(view, sample, round);
    exchange.run();
    EXPECT_EQ(count_wrong(view, sample, round), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Ghosts, SlabsInPlace, testing::Values(0, 1, 7));

/// Returns the size of the buffer for all boxes of one array that a rank sends, or for all that it receives.
std::int64_t buffer_bytes(const std::vector<Message>& messages, std::int64_t element_size) {
  std::map<int, std::int64_t> bytes;
  for (const Message& message : messages)
    if (!message.in_place) bytes[message.partner] += packed_bytes(message.box, element_size);
  std::int64_t sum = 0;
  for (const auto& [partner, parcel] : bytes) sum += aligned_bytes(parcel);
  return sum;
}

TEST(Exchange, BuffersAreWhatTheListsSay) {
  const Communicator communicator(MPI_COMM_WORLD);
  test::Random random(62);
  for (int i = 0; i < 30; ++i) {
    ExchangeSample sample = test::random_exchange(random, communicator.size(), 500);
    if (sample.blocks.domain().dimensions != 2) continue;
    const ExchangeLists lists = sample.lists(communicator.rank(), communicator.size(), 4);
    const HaloExchange exchange(communicator.handle(), view_of<float, 2>(sample, communicator.rank()));
    EXPECT_TRUE(!runs_on_host ||
                exchange.buffer_bytes() == buffer_bytes(lists.sends, 4) + buffer_bytes(lists.receives, 4))
        << sample.text();
  }
}

TEST(Exchange, MovesWideRowsThatArePacked) {
  const Communicator communicator(MPI_COMM_WORLD);
  ExchangeSample sample = wide_slabs(communicator.size());
  sample.boundary = Boundary::periodic;
  sample.reach[0][0] = -2;
  sample.reach[1][0] = -45;
  expect_exchanged(communicator, sample);
}

TEST(Exchange, LeavesTimeForOtherWorkBetweenStartAndFinish) {
  const Communicator communicator(MPI_COMM_WORLD);
  const ExchangeSample sample = wide_slabs(communicator.size());
  const auto first = view_of<float, 2>(sample, communicator.rank());
  const auto second = view_of<float, 2>(sample, communicator.rank());
  HaloExchange one(communicator.handle(), first), other(communicator.handle(), second);
  prepare(first, sample, 1);
  one.start();
  prepare(second, sample, 2);
  other.start();
  one.finish();
  other.finish();
  EXPECT_EQ(count_wrong(first, sample, 1), 0);
  EXPECT_EQ(count_wrong(second, sample, 2), 0);
}

struct Pixel {
  std::uint16_t red, green, blue;
};

TEST(Exchange, MovesStructs) {
  const Communicator communicator(MPI_COMM_WORLD);
  const Box box{{0, 30}, {0, 20}};
  const BlockDistribution blocks(box, box, {2, {1, communicator.size(), 1, 1}});
  const DistributedView<Pixel, 2> view("pixels", blocks, communicator.rank(), Halo(2, Boundary::mirror));
  const auto before = view.host();
  const auto pixel = [](int x, int y) {
    return Pixel{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
                 static_cast<std::uint16_t>(x * y)};
  };
  test::for_each_point(view.owned(), [&](const Point& p) {
    const int x = static_cast<int>(p[0]), y = static_cast<int>(p[1]);
    before.accessor()(x, y) = pixel(x, y);
  });
  before.copy_to_device();
  HaloExchange(communicator.handle(), view).run();
  const auto after = view.host();
  test::for_each_point(view.required(), [&](const Point& p) {
    const auto mirrored = [](std::int64_t i, int n) {
      return static_cast<int>(i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i);
    };
    const Pixel expected = pixel(mirrored(p[0], 30), mirrored(p[1], 20));
    const Pixel actual = after.accessor()(static_cast<int>(p[0]), static_cast<int>(p[1]));
    EXPECT_EQ(std::memcmp(&actual, &expected, sizeof actual), 0) << p[0] << ", " << p[1];
  });
}

TEST(LargeMessage, CountsEveryByte) {
  for (const std::int64_t bytes :
       {std::int64_t{0}, std::int64_t{7}, std::int64_t{1} << 20, (std::int64_t{5} << 30) + 3}) {
    for (const std::int64_t largest : {std::int64_t{1} << 30, std::int64_t{1} << 12}) {
      const LargeMessage message(bytes, largest);
      MPI_Count size = 0;
      MPI_Type_size_x(message.type(), &size);
      EXPECT_EQ(size * message.count(), bytes);
    }
  }
}

TEST(LargeMessage, ArrivesWhole) {
  std::vector<unsigned char> from(100'003), to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7 / 3);
  const LargeMessage message(static_cast<std::int64_t>(from.size()), 1000);
  MPI_Sendrecv(from.data(), message.count(), message.type(), 0, 1, to.data(), message.count(), message.type(),
               0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  EXPECT_EQ(from, to);
}

}  // namespace
