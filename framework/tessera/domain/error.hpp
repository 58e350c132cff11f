// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

/// Something that the user gave is wrong: a deck, a file, an option or the environment. The message is one
/// line that says what is wrong, where, and what to do. Programs end with exit status 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The program contradicts itself: a fault of Tessera or of a stage body. Programs end with exit status 1.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

/// An input error on a rank that cannot go on together with the others: they wait for it in a call that it
/// has left, or it cannot close a file that it has written. The job must end at once, and nothing can be
/// closed before. Other ranks may throw it too, but need not. Programs end with exit status 2.
struct StrandedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The residual of a loop is not finite any more. All ranks throw it in the same turn. Programs end with exit
/// status 5.
struct DivergedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A signal or the wall-time limit has stopped a run, which has written a checkpoint. All ranks throw it in
/// the same turn. Programs end with exit status 4.
struct StoppedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tessera
