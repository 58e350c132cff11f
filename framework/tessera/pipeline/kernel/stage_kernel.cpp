// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/kernel/stage_kernel.hpp"

#include "tessera/view/reduce.hpp"

namespace tessera {

int ReductionKernel::device_shares() const { return detail::device_shares(value_bytes()); }

int ReductionKernel::joined_shares() const {
  return static_cast<int>(detail::joined_shares(device_shares(), value_bytes()));
}

}  // namespace tessera
