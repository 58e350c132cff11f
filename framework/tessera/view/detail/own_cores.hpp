// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/view/machine.hpp"

namespace tessera::detail {

// Information from hwloc on the cores on which this process may run. A build without hwloc has no
// information.

/// Returns the first NUMA domain whose memory is near the cores of this process, or 0 if it is unknown.
int own_numa_domain();

/// Returns the last-level caches of the cores of this process, or caches of 0 bytes if they are unknown.
LastCache own_last_cache();

}  // namespace tessera::detail
