// SPDX-License-Identifier: BSD-3-Clause
#include "block_product.hpp"

#include <KokkosBlas3_gemm.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

// OpenBLAS has this function. It is weak, so that the program links with other libraries, too.
extern "C" [[gnu::weak]] void openblas_set_num_threads(int threads);

namespace matmul {

template <class T>
void multiply(T alpha, const Block<T>& a, const Block<T>& b, T beta, const Block<T>& c) {
  using Space = Kokkos::DefaultExecutionSpace::memory_space;
  using Constant = Kokkos::View<const T**, Kokkos::LayoutRight, Kokkos::HostSpace,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  if constexpr (multiplies_on_host) {
    KokkosBlas::gemm("N", "N", alpha, Constant(a), Constant(b), beta, c);
  } else {
    const auto device_a = Kokkos::create_mirror_view_and_copy(Space{}, a);
    const auto device_b = Kokkos::create_mirror_view_and_copy(Space{}, b);
    const auto device_c = Kokkos::create_mirror_view_and_copy(Space{}, c);
    KokkosBlas::gemm("N", "N", alpha, device_a, device_b, beta, device_c);
    Kokkos::deep_copy(c, device_c);
  }
}

template void multiply(float, const Block<float>&, const Block<float>&, float, const Block<float>&);
template void multiply(double, const Block<double>&, const Block<double>&, double, const Block<double>&);

template <class T>
double multiply_speed() {
  if (!multiplies_on_workers) return 1e12;
  constexpr std::size_t edge = measured_edge, elements = edge * edge;
  std::vector<T> numbers(3 * elements);
  const auto block = [&](std::size_t number) {
    return Block<T>(numbers.data() + number * elements, edge, edge);
  };
  double shortest = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < 3; ++repetition) {
    const auto begin = std::chrono::steady_clock::now();
    multiply<T>(1, block(0), block(1), 0, block(2));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    shortest = std::min(shortest, time.count());
  }
  return 2.0 * static_cast<double>(edge * elements) / std::max(shortest, 1e-9);
}

template double multiply_speed<float>();
template double multiply_speed<double>();

bool set_blas_threads(int threads) {
  if (&openblas_set_num_threads == nullptr) return false;
  openblas_set_num_threads(threads);
  return true;
}

}  // namespace matmul
