// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/collectively.hpp"

#include <stdexcept>

#include "io/io_test_support.hpp"

namespace tessera::io_test {
namespace {

TEST(Collectively, SuccessOnEveryRankThrowsNothing) {
  int calls = 0;
  collectively(MPI_COMM_WORLD, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(Collectively, AnyRanksInputErrorIsThrownOnAll) {
  for (int failing = 0; failing < ranks(); ++failing)
    expect_input_error(
        [&] {
          collectively(MPI_COMM_WORLD, [&] {
            if (rank() == failing) throw InputError("rank " + std::to_string(failing));
          });
        },
        {"rank " + std::to_string(failing)});
}

TEST(Collectively, TheLowestFailingRankDecidesMessageAndKind) {
  const int first = ranks() > 1 ? 1 : 0;
  expect_input_error(
      [&] {
        collectively(MPI_COMM_WORLD, [&] {
          if (rank() == first) throw InputError("the first");
          if (rank() > first) throw InternalError("a later one");
        });
      },
      {"the first"});
}

TEST(Collectively, OtherExceptionsBecomeInternalErrors) {
  const auto fails_with = [](auto exception) {
    collectively(MPI_COMM_WORLD, [&] {
      if (rank() + 1 == ranks()) throw exception;
    });
  };
  EXPECT_THROW(fails_with(std::runtime_error("other")), InternalError);
  EXPECT_THROW(fails_with(InternalError("internal")), InternalError);
  EXPECT_THROW(fails_with(42), InternalError);
}

}  // namespace
}  // namespace tessera::io_test
