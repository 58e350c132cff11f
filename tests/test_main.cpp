// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tessera/app/session.hpp"

namespace {

/// Every rank runs every test; rank 0 prints what passes, every rank what fails.
class FailuresOnly final : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed())
      std::fprintf(stderr, "%s:%d: %s\n", result.file_name() ? result.file_name() : "", result.line_number(),
                   result.message());
  }
};

}  // namespace

int main(int argc, char** argv) {
  using namespace tessera::app;
  return run_program(argc, argv, "test", [](Session& session, int count, char** values) {
    session.start_kokkos(0);
    testing::InitGoogleTest(&count, values);
    if (session.rank() != 0) {
      auto& listeners = testing::UnitTest::GetInstance()->listeners();
      delete listeners.Release(listeners.default_result_printer());
      listeners.Append(new FailuresOnly);
    }
    const int mine = RUN_ALL_TESTS();
    int any = mine;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, session.communicator());
    return any == 0 ? ExitStatus::done : ExitStatus::internal_error;
  });
}
