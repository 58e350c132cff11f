// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::app {

/// The exit statuses of every Tessera program.
enum class ExitStatus : int {
  done = 0,              ///< The program has done its work.
  internal_error = 1,    ///< The program contradicts itself: a fault of Tessera or of a stage body.
  beyond_tolerance = 1,  ///< A comparison or a check of the result has failed, as in diff.
  bad_input = 2,         ///< A deck, a file, an option or the environment is wrong.
  not_converged = 3,     ///< The condition of a loop did not hold after its largest number of turns.
  stopped = 4,           ///< A signal or the wall-time limit stopped the run, which has written a checkpoint.
  diverged = 5,          ///< The residual of a loop is not finite.
  watchdog = 6           ///< No step has ended for the time that the watchdog allows.
};

}  // namespace tessera::app
