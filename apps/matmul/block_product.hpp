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

/// Whether several threads may multiply at the same time: where products are calls of BLAS, and no kernels.
#ifdef KOKKOSKERNELS_ENABLE_TPL_BLAS
constexpr bool multiplies_on_workers = multiplies_on_host;
#else
constexpr bool multiplies_on_workers = false;
#endif

/// Sets C = alpha A B + beta C by KokkosBlas::gemm. If beta is 0, C need not have values before. Blocks are
/// used where they are if Kokkos computes on the host, and are otherwise copied to the device and back.
/// Several threads may call this function at the same time if multiplies_on_workers is true.
template <class T>
void multiply(T alpha, const Block<T>& a, const Block<T>& b, T beta, const Block<T>& c);

/// Returns the multiplications and additions per second of one thread that multiplies blocks of
/// `measured_edge`, as a product of two small matrices takes them. Products on devices are not measured: the
/// result is then 1e12. The number of threads of BLAS must be 1. Kokkos must have started.
template <class T>
double multiply_speed();
/// The edge of the blocks whose products multiply_speed measures.
constexpr std::int64_t measured_edge = 512;

/// Sets the number of threads that one call of BLAS uses on the host. Returns whether the library is
/// OpenBLAS, whose number can be set. That of other libraries stays as their environment variables say.
bool set_blas_threads(int threads);

}  // namespace matmul
