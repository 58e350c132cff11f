// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tessera::graph {

/// A place where the bodies of a task run.
class Place {
 public:
  /// The kinds of places.
  enum class Kind : std::uint8_t {
    threads,  ///< The worker threads of the rank. This is the default.
    io,       ///< One thread that is meant for bodies that wait for files. It is not one of the workers.
    kernels,  ///< The thread that calls Run::wait, while the workers pause. Bodies may launch Kokkos kernels.
    numa,     ///< Worker threads that the system binds to the processors of one NUMA domain.
    device    ///< One thread that launches kernels on one device.
  };

  /// Returns the place of the worker threads of the rank.
  static Place threads() { return {}; }
  /// Returns the place of the thread for input and output.
  static Place io() { return Place(Kind::io, 0); }
  /// Returns the place of the thread that calls Run::wait, where bodies may launch Kokkos kernels.
  static Place kernels() { return Place(Kind::kernels, 0); }
  /// Returns the place of the threads of the NUMA domain `number`, from 0.
  static Place numa(int number) { return Place(Kind::numa, number); }
  /// Returns the place of the thread of the device `number`, from 0.
  static Place device(int number) { return Place(Kind::device, number); }

  /// Returns the kind of the place.
  Kind kind() const { return kind_; }
  /// Returns the number of the NUMA domain or device. It is 0 for other kinds.
  int number() const { return number_; }
  /// Returns whether two places are the same.
  friend bool operator==(const Place&, const Place&) = default;

 private:
  Place() = default;
  Place(Kind kind, int number) : kind_(kind), number_(number) {}

  Kind kind_ = Kind::threads;
  int number_ = 0;
};

/// Returns the name of the place in decks and messages, such as "io" or "numa 1".
std::string to_string(const Place& place);

}  // namespace tessera::graph
