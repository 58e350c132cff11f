// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/spectral/good_points.hpp"

#include <fmt/format.h>

#include "tessera/domain/error.hpp"

namespace tessera::spectral {

int good_points(int points) {
  if (points < 1 || points > 1 << 30)
    throw InternalError(fmt::format("there is no good number of points for {}", points));
  for (int candidate = points;; ++candidate) {
    int rest = candidate;
    for (const int factor : {2, 3, 5, 7})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return candidate;
  }
}

}  // namespace tessera::spectral
