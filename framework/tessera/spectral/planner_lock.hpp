// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>

namespace tessera::spectral {

/// Returns a lock of the planner of FFTW, which makes and destroys one plan at a time, whatever the number
/// type. Whoever calls such a function of FFTW holds this lock. Plans are executed without it.
std::unique_lock<std::mutex> lock_planner();

}  // namespace tessera::spectral
