// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/stage_kernel.hpp"

namespace tessera::detail {

bool computes_rows_in_turn() {
#ifdef TESSERA_X86_HOST
  return __builtin_cpu_supports("avx2") && !__builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

}  // namespace tessera::detail
