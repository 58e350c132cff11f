// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/view/machine.hpp"

namespace tessera::detail {

// What hwloc tells of the cores that this process may use; a build without hwloc knows nothing of them.

/// The first NUMA domain whose memory is near those cores, or 0 when the machine does not tell.
int own_numa_domain();

/// The last level of cache near those cores, or a cache of no bytes when the machine does not tell.
LastCache own_last_cache();

}  // namespace tessera::detail
