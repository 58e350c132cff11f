// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

/// An error in something that the user has provided: a deck, a file, an option or the environment. The
/// message is one line that says what is wrong, where, and what to do. The exit status of the program is 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An error in the program itself: a fault of Tessera, of a stage body, or of the code that calls Tessera.
/// The exit status of the program is 1.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

/// An input error after which a rank cannot go on together with the other ranks. Either the other ranks wait
/// for this rank in a collective call that it has left, or this rank cannot close a file that it has written.
/// The job must be aborted at once, without closing files. The other ranks need not throw this error. The
/// exit status of the program is 2.
struct StrandedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The residual of a loop is not finite after a turn. All ranks throw this error after the same turn. The
/// exit status of the program is 5.
struct DivergedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A signal or the wall-time limit has stopped the run, which can be continued from a checkpoint. All ranks
/// throw this error after the same turn. The exit status of the program is 4.
struct StoppedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tessera
