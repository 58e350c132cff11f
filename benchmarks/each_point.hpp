// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/view/block_io.hpp"

namespace bench {

/// Calls function(x, y, value) on every point of a two-dimensional block of T.
template <class T, class Function>
void each_point(const tessera::HostBlock& block, const Function& function) {
  T* const values = reinterpret_cast<T*>(block.data);
  for (auto y = block.box[1].begin; y < block.box[1].end; ++y)
    for (auto x = block.box[0].begin; x < block.box[0].end; ++x)
      function(static_cast<int>(x), static_cast<int>(y),
               values[(x - block.box[0].begin) + (y - block.box[1].begin) * block.strides[1]]);
}

}  // namespace bench
