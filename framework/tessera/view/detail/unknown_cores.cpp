// SPDX-License-Identifier: BSD-3-Clause
// What own_cores.hpp declares, in a build without hwloc.
#include "tessera/view/detail/own_cores.hpp"

namespace tessera::detail {

int own_numa_domain() { return 0; }

LastCache own_last_cache() { return {}; }

}  // namespace tessera::detail
