// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// This header has all code of Tessera that differs between the versions of Kokkos, from 3.4 on.

#include <Kokkos_Core.hpp>
#include <Kokkos_Macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

#ifdef __FAST_MATH__
#error "Tessera: -ffast-math folds the NaN tests that min, max and clamp stand on: leave it out"
#endif

// TESSERA_X86_HOST is defined if a function may be compiled several times for different x86 processors, so
// that the program chooses one version at run time. The macro is not defined in builds for devices, because
// not all compilers for devices accept such functions.
#if defined(__x86_64__) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#define TESSERA_X86_HOST
#endif

namespace tessera {

/// The execution space of kernels.
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
/// The memory space of the arrays that kernels access.
using MemorySpace = ExecutionSpace::memory_space;
/// The execution space of host threads.
using HostExecutionSpace = Kokkos::DefaultHostExecutionSpace;

/// True if kernels run on the host, and not on a device.
inline constexpr bool runs_on_host = std::is_same_v<ExecutionSpace, HostExecutionSpace>;

namespace compat {

/// True if Kokkos calls the function `join` of reducers with volatile values.
inline constexpr bool joins_are_volatile = KOKKOS_VERSION < 40000;

// These mathematical functions can be called on hosts and on devices.
#if KOKKOS_VERSION >= 30700
using Kokkos::ceil, Kokkos::exp, Kokkos::floor, Kokkos::log, Kokkos::pow, Kokkos::round, Kokkos::sqrt;
#elif defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
using ::ceil, ::exp, ::floor, ::log, ::pow, ::round, ::sqrt;
#else
using std::ceil, std::exp, std::floor, std::log, std::pow, std::round, std::sqrt;
#endif

/// The memory space of pinned host memory. Devices copy to and from it at full speed. In builds for hosts it
/// is the memory space of plain host memory.
#if defined(KOKKOS_ENABLE_CUDA)
using HostPinnedSpace = Kokkos::CudaHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP) && KOKKOS_VERSION >= 40000
using HostPinnedSpace = Kokkos::HIPHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP)
using HostPinnedSpace = Kokkos::Experimental::HIPHostPinnedSpace;
#else
using HostPinnedSpace = Kokkos::HostSpace;
#endif

/// Initializes Kokkos with `threads` host threads on the device with the number `device`. Kokkos chooses the
/// number of threads if `threads` is 0, and the device if `device` is -1.
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

/// Copies between a view and its mirror with Kokkos::deep_copy, after all work that was enqueued on
/// `execution` before. If the mirror is the view itself, nothing is done, because Kokkos 5 does not accept
/// such copies.
template <class To, class From>
void copy(const ExecutionSpace& execution, const To& to, const From& from) {
  if (to.data() != from.data()) Kokkos::deep_copy(execution, to, from);
}

/// Waits for everything that was enqueued on `execution`. No memory is allocated: newer versions of Kokkos
/// get a label that is short enough.
template <class Execution>
void fence(const Execution& execution) {
#if KOKKOS_VERSION >= 30500
  execution.fence("tessera");
#else
  execution.fence();
#endif
}

/// Copies `bytes` bytes from `from` to `to`, which may both be in host or device memory, after all work that
/// was enqueued on `execution` before. In builds for devices, the copy is only enqueued on `execution`. In
/// builds for hosts, the copy is done when the call returns.
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

/// Returns an instance of the execution space. If kernels run on a device and Kokkos is 3.6 or newer, the
/// instance has a new queue, which does not wait for other queues. Otherwise it is the default instance.
inline ExecutionSpace own_instance() {
#if (defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)) && KOKKOS_VERSION >= 30600
  return Kokkos::Experimental::partition_space(ExecutionSpace(), 1)[0];
#else
  return ExecutionSpace();
#endif
}

/// Returns the number of devices that this process can use; 0 in builds for hosts.
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

/// Returns the value of type To that has the bytes of `from`, like std::bit_cast, which cannot be called on
/// devices. With HIP 5, std::memcpy cannot be called there either.
template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION constexpr To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace tessera
