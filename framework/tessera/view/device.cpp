// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/device.hpp"

#include <string_view>

#include "tessera/view/compat.hpp"

namespace tessera {

Device own_device() {
  Device device;
#if defined(KOKKOS_ENABLE_CUDA)
  device.number = ExecutionSpace().cuda_device();
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, device.number) == cudaSuccess)
    std::string_view(properties.name).copy(device.name.data(), device.name.size() - 1);
  if (cudaDeviceGetPCIBusId(device.address.data(), static_cast<int>(device.address.size()), device.number) !=
      cudaSuccess)
    device.address = {};
#elif defined(KOKKOS_ENABLE_HIP)
  device.number = ExecutionSpace().hip_device();
  hipDeviceProp_t properties;
  if (hipGetDeviceProperties(&properties, device.number) == hipSuccess)
    std::string_view(properties.name).copy(device.name.data(), device.name.size() - 1);
  if (hipDeviceGetPCIBusId(device.address.data(), static_cast<int>(device.address.size()), device.number) !=
      hipSuccess)
    device.address = {};
#endif
  return device;
}

}  // namespace tessera
