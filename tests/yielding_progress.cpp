// SPDX-License-Identifier: BSD-3-Clause
// A library that tests preload. Tests start more ranks than a machine may have cores, and MPICH over UCX
// waits by polling without giving up its core, so that each message then takes some milliseconds. Here a rank
// that has found nothing for a while lets others run. Other implementations of MPI do not call this function.
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned (*)(void*);
  static const auto progress = reinterpret_cast<Progress>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  constexpr int most_idle_polls = 20;
  thread_local int idle_polls = 0;
  const unsigned found = progress(worker);
  if (found > 0) {
    idle_polls = 0;
  } else if (++idle_polls == most_idle_polls) {
    idle_polls = 0;
    sched_yield();
  }
  return found;
}
