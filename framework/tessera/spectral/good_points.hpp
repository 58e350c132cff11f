// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::spectral {

/// Returns the least number of points that is not less than `points` and has no prime factors but 2, 3, 5 and
/// 7. Fourier transforms of such numbers of points are the fastest. Throws InternalError if `points` is less
/// than 1 or greater than 2^30.
int good_points(int points);

}  // namespace tessera::spectral
