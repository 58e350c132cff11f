// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Every difference between Kokkos 3.4 and later versions that Tessera meets.

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

#ifdef __FAST_MATH__
#error "Tessera: -ffast-math folds the NaN tests that min, max and clamp stand on: leave it out"
#endif

// Functions for one kind of x86 processors, chosen when a program runs: not all compilers for devices take
// them.
#if defined(__x86_64__) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#define TESSERA_X86_HOST
#endif

namespace tessera {

/// Where kernels run, and where their arrays live.
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using MemorySpace = ExecutionSpace::memory_space;
using HostExecutionSpace = Kokkos::DefaultHostExecutionSpace;

/// True when kernels run on the host: tiles in scratch of the thread, files read in place.
inline constexpr bool runs_on_host = std::is_same_v<ExecutionSpace, HostExecutionSpace>;

namespace compat {

/// Whether Kokkos calls `join` of reducers with volatile values.
inline constexpr bool joins_are_volatile = KOKKOS_VERSION < 40000;

// Mathematical functions for hosts and devices.
#if KOKKOS_VERSION >= 30700
using Kokkos::ceil, Kokkos::exp, Kokkos::floor, Kokkos::log, Kokkos::round, Kokkos::sqrt;
#elif defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
using ::ceil, ::exp, ::floor, ::log, ::round, ::sqrt;
#else
using std::ceil, std::exp, std::floor, std::log, std::round, std::sqrt;
#endif

/// Host memory that a device can copy to and from at full speed; plain host memory without devices.
#if defined(KOKKOS_ENABLE_CUDA)
using HostPinnedSpace = Kokkos::CudaHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP) && KOKKOS_VERSION >= 40000
using HostPinnedSpace = Kokkos::HIPHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP)
using HostPinnedSpace = Kokkos::Experimental::HIPHostPinnedSpace;
#else
using HostPinnedSpace = Kokkos::HostSpace;
#endif

/// Starts Kokkos with so many host threads (0: its own default) on the device of this number (-1: none
/// chosen).
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

/// Kokkos::deep_copy between a view and its mirror, which may be the view itself: Kokkos 5 refuses that.
template <class To, class From>
void copy(const ExecutionSpace& execution, const To& to, const From& from) {
  if (to.data() != from.data()) Kokkos::deep_copy(execution, to, from);
}

/// Waits for what was enqueued. Nothing is allocated: newer versions make a string of the name.
template <class Execution>
void fence(const Execution& execution) {
#if KOKKOS_VERSION >= 30500
  execution.fence("tessera");
#else
  execution.fence();
#endif
}

/// Copies bytes between host and device memory, in the order of `execution`.
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

/// An instance of the execution space of its own where kernels run on a device: its queue waits for nobody
/// else's. Hosts have but one.
inline ExecutionSpace own_instance() {
#if (defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)) && KOKKOS_VERSION >= 30600
  return Kokkos::Experimental::partition_space(ExecutionSpace(), 1)[0];
#else
  return ExecutionSpace();
#endif
}

/// Devices that this process can see; 0 without a device backend.
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
