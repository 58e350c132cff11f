// SPDX-License-Identifier: BSD-3-Clause
// This file takes the place of own_cores.cpp in builds without hwloc.
#include "tessera/view/machine.hpp"

namespace tessera::detail {

int own_numa_domain() { return 0; }

LastCache own_last_cache() { return {}; }

}  // namespace tessera::detail
