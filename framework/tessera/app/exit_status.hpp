// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::app {

/// The exit statuses of every Tessera program.
enum class ExitStatus : int {
  done = 0,              ///< The program has done its work.
  internal_error = 1,    ///< An internal error: a fault of Tessera or of a stage body.
  beyond_tolerance = 1,  ///< The result does not meet a demand of the deck, such as a tolerance.
  bad_input = 2,         ///< A deck, a file, an option or the environment is wrong.
  not_converged = 3,     ///< The condition of a loop did not hold after the permitted number of turns.
  stopped = 4,           ///< A signal or the wall-time limit stopped the run after a checkpoint was written.
  diverged = 5,          ///< The residual of a loop is not finite.
  watchdog = 6           ///< No step ended within the time limit that the key `watchdog` sets.
};

}  // namespace tessera::app
