// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::app {

/// The exit statuses of every Tessera program.
enum class ExitStatus : int {
  done = 0,
  internal_error = 1,
  beyond_tolerance = 1,  ///< of programs that compare, as of diff
  bad_input = 2,
  not_converged = 3,
  stopped = 4,  ///< by a signal or the wall-time limit, with a checkpoint written
  diverged = 5,
  watchdog = 6
};

}  // namespace tessera::app
