// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// This header holds every difference between Kokkos 3.4 and later versions that Tessera meets.

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

#ifdef __FAST_MATH__
#error "Tessera: -ffast-math folds the NaN tests that min, max and clamp stand on: leave it out"
#endif

// TESSERA_X86_HOST is defined where functions may be compiled for single kinds of x86 processors, among which
// the program chooses when it runs. Not all compilers for devices accept such functions.
#if defined(__x86_64__) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#define TESSERA_X86_HOST
#endif

namespace tessera {

/// The execution space in which kernels run.
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
/// The memory space in which the arrays of kernels live.
using MemorySpace = ExecutionSpace::memory_space;
/// The execution space of host threads.
using HostExecutionSpace = Kokkos::DefaultHostExecutionSpace;

/// True when kernels run on the host: tiles then use scratch of the thread, and files are read in place.
inline constexpr bool runs_on_host = std::is_same_v<ExecutionSpace, HostExecutionSpace>;

namespace compat {

/// True when Kokkos calls `join` of reducers with volatile values.
inline constexpr bool joins_are_volatile = KOKKOS_VERSION < 40000;

// These are mathematical functions for hosts and devices.
#if KOKKOS_VERSION >= 30700
using Kokkos::ceil, Kokkos::exp, Kokkos::floor, Kokkos::log, Kokkos::round, Kokkos::sqrt;
#elif defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
using ::ceil, ::exp, ::floor, ::log, ::round, ::sqrt;
#else
using std::ceil, std::exp, std::floor, std::log, std::round, std::sqrt;
#endif

/// Host memory that a device can copy to and from at full speed. It is plain host memory where there are no
/// devices.
#if defined(KOKKOS_ENABLE_CUDA)
using HostPinnedSpace = Kokkos::CudaHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP) && KOKKOS_VERSION >= 40000
using HostPinnedSpace = Kokkos::HIPHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP)
using HostPinnedSpace = Kokkos::Experimental::HIPHostPinnedSpace;
#else
using HostPinnedSpace = Kokkos::HostSpace;
#endif

/// Starts Kokkos with this many host threads (0: Kokkos chooses) on the device of this number (-1: Kokkos
/// chooses).
inline void initialize(int threads, int device) {
#if KOKKOS_VERSION >= 30700
  Kokkos::InitializationSettings settings;
  if (threads > 0) settings.set_num_threads(threads);
  if (device >= 0) settings.set_device_id(device);
  settings.set_disable_warnings(true);
#else
  Kokkos::InitArguments settings;
  if (threads > 0) settings.num_threads = threads;
  if (device >= 0) settings.device_id = device;
  settings.disable_warnings = true;
#endif
  Kokkos::initialize(settings);
}

/// Does Kokkos::deep_copy between a view and its mirror, in the order of `execution`. The mirror may be the
/// view itself, which Kokkos 5 refuses; nothing is done then.
template <class To, class From>
void copy(const ExecutionSpace& execution, const To& to, const From& from) {
  if (to.data() != from.data()) Kokkos::deep_copy(execution, to, from);
}

/// Waits for everything that was enqueued on `execution`. No memory is allocated, although newer versions of
/// Kokkos take a name.
template <class Execution>
void fence(const Execution& execution) {
#if KOKKOS_VERSION >= 30500
  execution.fence("tessera");
#else
  execution.fence();
#endif
}

/// Copies bytes between host and device memory, in the order of `execution`. On a device the copy is only
/// enqueued; on hosts it is done when the call returns.
inline void copy_bytes(const ExecutionSpace& execution, std::byte* to, const std::byte* from,
                       std::size_t bytes) {
#if defined(KOKKOS_ENABLE_CUDA)
  cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, execution.cuda_stream());
#elif defined(KOKKOS_ENABLE_HIP)
  static_cast<void>(hipMemcpyAsync(to, from, bytes, hipMemcpyDefault, execution.hip_stream()));
#else
  fence(execution);
  std::memcpy(to, from, bytes);
#endif
}

/// Returns an instance of the execution space whose queue waits for no other one, where kernels run on a
/// device and Kokkos is 3.6 or newer. Otherwise it is the default instance.
inline ExecutionSpace own_instance() {
#if (defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)) && KOKKOS_VERSION >= 30600
  return Kokkos::Experimental::partition_space(ExecutionSpace(), 1)[0];
#else
  return ExecutionSpace();
#endif
}

/// Returns the number of devices that this process can see, or 0 without a device backend.
inline int device_count() {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
#elif defined(KOKKOS_ENABLE_HIP)
  int count = 0;
  return hipGetDeviceCount(&count) == hipSuccess ? count : 0;
#else
  return 0;
#endif
}

}  // namespace compat
}  // namespace tessera
