// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/gpu_aware.hpp"

#include <string_view>

#if defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

namespace tessera {
namespace {

/// Returns whether MPI accepts memory of the kind `kind`, according to the info value that MPI 4.1 defines.
bool info_promises(std::string_view kind) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm_get_info(MPI_COMM_SELF, &info);
  char value[MPI_MAX_INFO_VAL + 1] = {};
  int found = 0;
  MPI_Info_get(info, "mpi_memory_alloc_kinds", MPI_MAX_INFO_VAL, value, &found);
  MPI_Info_free(&info);
  return found != 0 && std::string_view(value).find(kind) != std::string_view::npos;
}

/// Returns whether MPI accepts memory of devices, according to the extensions of MPICH and Open MPI.
bool extension_promises() {
#if defined(KOKKOS_ENABLE_CUDA) && defined(MPIX_GPU_SUPPORT_CUDA)
  int supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) == MPI_SUCCESS && supported != 0;
#elif defined(KOKKOS_ENABLE_HIP) && defined(MPIX_GPU_SUPPORT_HIP)
  int supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &supported) == MPI_SUCCESS && supported != 0;
#elif defined(KOKKOS_ENABLE_CUDA) && defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

bool is_promised() {
#if defined(KOKKOS_ENABLE_CUDA)
  return info_promises("cuda") || extension_promises();
#elif defined(KOKKOS_ENABLE_HIP)
  return info_promises("rocm") || extension_promises();
#else
  return info_promises("device") || extension_promises();
#endif
}

bool on_all_ranks(MPI_Comm communicator, bool here) {
  int all = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, communicator);
  return all != 0;
}

}  // namespace

bool device_message_arrives(MPI_Comm communicator) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  const Kokkos::View<int*, MemorySpace> sent("tessera: probe", 1), received("tessera: probe", 1);
  const ExecutionSpace execution;
  Kokkos::deep_copy(execution, sent, 1000 + rank);
  execution.fence();
  constexpr int tag = 0;
  const int before = (rank + ranks - 1) % ranks;
  MPI_Sendrecv(sent.data(), 1, MPI_INT, (rank + 1) % ranks, tag, received.data(), 1, MPI_INT, before, tag,
               communicator, MPI_STATUS_IGNORE);
  const auto value = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), received);
  return value(0) == 1000 + before;
}

ChosenTransport choose_transport(MPI_Comm communicator, GpuAware wanted) {
  if (runs_on_host) return {{}, "kernels run on the host"};
  if (wanted == GpuAware::on) return {{true}, "from device memory, as asked for"};
  if (wanted == GpuAware::off) return {{false}, "through pinned host memory, as asked for"};
  if (!on_all_ranks(communicator, is_promised()))
    return {{false}, "through pinned host memory: MPI does not say that it takes device memory"};
  if (!on_all_ranks(communicator, device_message_arrives(communicator)))
    return {{false}, "through pinned host memory: a value sent from device memory did not arrive"};
  return {{true}, "from device memory"};
}

}  // namespace tessera
