// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "tessera/cost/calibration.hpp"

namespace calibrate {

/// Sends messages from rank 0 to `partner` and back, of 8 bytes to 4 MiB. Returns for each length the bytes,
/// and the seconds of one way of the fastest of `times` messages. The result is of use on rank 0 only. Other
/// ranks than these two may not call this function.
std::vector<tessera::cost::MeasuredPoint> ping_pong(MPI_Comm communicator, int partner, int times);

}  // namespace calibrate
