// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/host_threads.hpp"

#include <fmt/format.h>
#include <Kokkos_Macros.hpp>

#include <exception>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "tessera/domain/error.hpp"

#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace tessera {

void set_openmp_threads([[maybe_unused]] int threads) {
#ifdef KOKKOS_ENABLE_OPENMP
  omp_set_num_threads(threads);
#endif
}

void check_that_threads_start(int threads) {
  std::latch end(1);
  std::vector<std::jthread> started;
  started.reserve(static_cast<std::size_t>(threads));
  std::string failure;
  try {
    // The calling thread is one of the threads that compute.
    for (int i = 1; i < threads; ++i) started.emplace_back([&end] { end.wait(); });
  } catch (const std::exception& error) {  // there may be no memory for a thread, either
    failure = error.what();
  }
  end.count_down();
  if (!failure.empty())
    throw InputError(
        fmt::format("of {} threads, only {} could be started ({}): give a smaller number, as threads "
                    "in the deck or as OMP_NUM_THREADS",
                    threads, started.size() + 1, failure));
}

}  // namespace tessera
