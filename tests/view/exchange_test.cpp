// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exchange.hpp"

#include <gtest/gtest.h>

#include "tessera/domain/error.hpp"
#include "tessera/view/communicator.hpp"
#include "tessera/view/distributed_view.hpp"
#include "view/exchange_sample.hpp"
#include "view/pattern.hpp"

namespace {

using namespace tessera;
using test::ExchangeSample;
using test::Point;

ExchangeLists lists_of(const ExchangeSample& sample, int rank) {
  return exchange_lists(sample.blocks, rank, [&](int first, int last) { return sample.need(first, last); });
}

template <class T>
T expected(const Point& point, int round) {
  return static_cast<T>(test::pattern(point) + static_cast<std::uint64_t>(round) * 77);
}

/// Runs one exchange twice, with other values the second time, and checks every point of the box.
template <class T, int N>
void expect_exchanged(const Communicator& communicator, const ExchangeSample& sample, int tag) {
  const int rank = communicator.rank();
  const Box need = sample.need(rank, rank + 1);
  const DistributedView<T, N> view("view", sample.blocks, rank, need);
  const ArrayReference array = view.block().reference();
  Exchange exchange(communicator.handle(), tag, lists_of(sample, rank), sizeof(T));
  const ExecutionSpace execution;
  for (int round = 0; round < 2; ++round) {
    const Box owned = view.owned();
    test::for_each_point(view.required(), [&](const Point& p) {
      test::element<T>(array, p) = contains(owned, p) ? expected<T>(p, round) : T(99);
    });
    exchange.run(execution, array);
    execution.fence();
    std::int64_t wrong = 0;
    const auto count_wrong = [&](const Point& p) {
      wrong += test::element<T>(array, p) != expected<T>(p, round);
    };
    test::for_each_point(owned, count_wrong);
    test::for_each_point(intersection(need, sample.blocks.domain()), count_wrong);
    EXPECT_EQ(wrong, 0) << sample.text() << ", rank " << rank << ", round " << round;
  }
}

template <class T>
void expect_exchanged(const Communicator& communicator, const ExchangeSample& sample, int tag) {
  switch (sample.blocks.domain().dimensions) {
    case 1:
      return expect_exchanged<T, 1>(communicator, sample, tag);
    case 2:
      return expect_exchanged<T, 2>(communicator, sample, tag);
    default:
      return expect_exchanged<T, 3>(communicator, sample, tag);
  }
}

TEST(Exchange, FillsEveryNeededPointOfTheDomain) {
  const Communicator communicator(MPI_COMM_WORLD);
  test::Random random(61);
  for (int i = 0; i < 60; ++i) {
    const ExchangeSample sample = test::random_exchange(random, communicator.size());
    test::for_each_element_size(
        [&]<class T>(T) { expect_exchanged<T>(communicator, sample, static_cast<int>(sizeof(T))); });
  }
}

TEST(Exchange, MovesWideRowsToo) {
  const Communicator communicator(MPI_COMM_WORLD);
  const Box box{{0, 3000}, {0, 40}};
  ExchangeSample sample;
  sample.blocks = BlockDistribution(box, box, {2, {1, communicator.size(), 1, 1}});
  sample.reach[0][0] = -2;
  sample.reach[1][0] = -25;
  sample.reach[1][1] = 3;
  expect_exchanged<float>(communicator, sample, 1);
}

TEST(Exchange, ThatShareACommunicatorKeepTheirMessagesApart) {
  const Communicator communicator(MPI_COMM_WORLD);
  const int rank = communicator.rank();
  const Box box{{0, 64}};
  ExchangeSample sample;
  sample.blocks = BlockDistribution(box, box, {1, {communicator.size(), 1, 1, 1}});
  sample.reach[0][0] = -3;
  sample.reach[0][1] = 3;
  using View = DistributedView<std::uint32_t, 1>;
  const View views[] = {View("a", sample.blocks, rank, sample.need(rank, rank + 1)),
                        View("b", sample.blocks, rank, sample.need(rank, rank + 1))};
  Exchange first(communicator.handle(), 1, lists_of(sample, rank), 4);
  Exchange second(communicator.handle(), 2, lists_of(sample, rank), 4);
  for (int k = 0; k < 2; ++k)
    test::for_each_point(sample.blocks.owned(rank), [&](const Point& p) {
      views[k].accessor()(static_cast<int>(p[0])) = expected<std::uint32_t>(p, k);
    });
  const ExecutionSpace execution;
  first.run(execution, views[0].block().reference());
  second.run(execution, views[1].block().reference());
  for (int k = 0; k < 2; ++k)
    test::for_each_point(intersection(sample.need(rank, rank + 1), box), [&](const Point& p) {
      EXPECT_EQ(views[k].accessor()(static_cast<int>(p[0])), expected<std::uint32_t>(p, k)) << p[0];
    });
}

TEST(Exchange, RefusesMessagesThatMpiCannotCount) {
  ExchangeLists lists;
  lists.receives.push_back({0, Box{{0, 1}, {0, 1}}});
  lists.receives[0].box[0].end = std::int64_t{1} << 20;
  lists.receives[0].box[1].end = std::int64_t{1} << 20;
  EXPECT_THROW(Exchange(MPI_COMM_SELF, 1, lists, 1), InternalError);
}

}  // namespace
