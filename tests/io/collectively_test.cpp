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

TEST(CollectivelyWithin, RanksThatComeInTimeAgree) {
  int calls = 0;
  collectively_within(MPI_COMM_WORLD, 60, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
  expect_input_error(
      [&] {
        collectively_within(MPI_COMM_WORLD, 60, [&] {
          if (rank() + 1 == ranks()) throw InputError("the last");
        });
      },
      {"the last"});
  EXPECT_THROW(collectively_within(MPI_COMM_WORLD, 60, [] { throw 42; }), AgreedInternalError);
}

// Ranks that wait in the task for one that has left it stand for those that wait inside a library.
TEST(CollectivelyWithin, ARankThatTheOthersWaitForIsStranded) {
  if (ranks() == 1) return;
  const auto fail_on_0 = [](MPI_Comm communicator, const auto& exception) {
    collectively_within(communicator, 0.05, [&] {
      if (rank() == 0) throw exception;
      MPI_Barrier(MPI_COMM_WORLD);
    });
  };
  const auto expect = [&]<class Expected>(Expected, const auto& exception) {
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    if (rank() == 0) {
      EXPECT_THROW(fail_on_0(communicator, exception), Expected);
      MPI_Barrier(MPI_COMM_WORLD);  // lets the others go on; a program would end here
      int header[2] = {1, 0};
      MPI_Bcast(header, 2, MPI_INT, 0, communicator);
      MPI_Bcast(header, 0, MPI_CHAR, 0, communicator);
    } else {
      EXPECT_THROW(fail_on_0(communicator, exception), InputError);
    }
    MPI_Comm_free(&communicator);
  };
  expect(StrandedError("alone"), InputError("alone"));
  expect(InternalError("alone"), std::runtime_error("alone"));
}

}  // namespace
}  // namespace tessera::io_test
