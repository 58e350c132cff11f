// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/kernel/stage_kernel.hpp"

#include "tessera/view/reduce.hpp"

namespace tessera {

int ReductionKernel::device_shares() const { return detail::device_shares(value_bytes()); }

}  // namespace tessera
