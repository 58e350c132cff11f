// SPDX-License-Identifier: BSD-3-Clause
// The functions of own_cores.hpp for a build without hwloc.
#include "tessera/view/detail/own_cores.hpp"

namespace tessera::detail {

int own_numa_domain() { return 0; }

LastCache own_last_cache() { return {}; }

}  // namespace tessera::detail
