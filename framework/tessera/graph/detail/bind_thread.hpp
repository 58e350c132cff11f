// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::graph::detail {

/// Returns the number of processors that this process may use.
int processor_count();
/// Returns the number of processors of a NUMA domain that this process may use. Returns 1 if the domain is
/// not known.
int processor_count(int domain);
/// Binds the calling thread to the processors of a NUMA domain. Does nothing if the domain is not known.
void bind_thread(int domain);

}  // namespace tessera::graph::detail
