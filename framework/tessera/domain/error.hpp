// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

/// Something the user gave is wrong: a deck, a file, an option, the environment. The message is one line that
/// says what, where and what to do. Programs end with exit status 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The program contradicts itself: a fault of Tessera or of a stage body. Programs end with exit status 1.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

/// An InputError on a rank that cannot go on together with the others: they wait for it in a call that it has
/// left, or cannot close what they have written. All that remains is to end the job, at once; nothing can be
/// closed before. Other ranks may or may not have it, too. Programs end with exit status 2.
struct StrandedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A loop's residual is no finite number any more. All ranks find out at once. Programs end with exit
/// status 5.
struct DivergedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Somebody, or the end of its time, stopped a run that has written a checkpoint. All ranks stop at once.
/// Programs end with exit status 4.
struct StoppedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tessera
