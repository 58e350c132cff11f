// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <KokkosKernels_config.h>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace matmul {

/// A block of a matrix in the memory of the host, in C order.
template <class T>
using Block =
    Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Whether Kokkos Kernels multiplies in the memory of the host.
constexpr bool multiplies_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Kokkos::DefaultExecutionSpace::memory_space>::accessible;

/// Whether several threads may multiply at the same time. They may if products are calls of BLAS, and not
/// kernels.
#ifdef KOKKOSKERNELS_ENABLE_TPL_BLAS
constexpr bool multiplies_on_workers = multiplies_on_host;
#else
constexpr bool multiplies_on_workers = false;
#endif

/// Sets C = alpha A B + beta C by KokkosBlas::gemm. If beta is 0, C need not have values before. If Kokkos
/// computes on a device, the blocks are copied there, and C is copied back. Several threads may call this
/// function at the same time if multiplies_on_workers is true.
template <class T>
void multiply(T alpha, const Block<T>& a, const Block<T>& b, T beta, const Block<T>& c);

/// Measures the product of two blocks with the edge `measured_edge`, and returns the multiplications and
/// additions per second of one thread. Products on devices are not measured: the result is then 1e12. The
/// number of threads of BLAS must be 1. Kokkos must have started.
template <class T>
double multiply_speed();
/// The edge of the blocks whose products multiply_speed measures.
constexpr std::int64_t measured_edge = 512;

/// Sets the number of threads that one call of BLAS uses on the host. Returns whether the library is
/// OpenBLAS, where this is possible. Other libraries use as many threads as their environment variables say.
bool set_blas_threads(int threads);

}  // namespace matmul
