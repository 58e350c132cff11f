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

  /// The worker threads of the rank.
  static Place threads() { return {}; }
  /// The thread for input and output.
  static Place io() { return Place(Kind::io, 0); }
  /// The thread that calls Run::wait, while the workers pause.
  static Place kernels() { return Place(Kind::kernels, 0); }
  /// Threads on the NUMA domain `number`.
  static Place numa(int number) { return Place(Kind::numa, number); }
  /// The thread of the device `number`.
  static Place device(int number) { return Place(Kind::device, number); }

  Kind kind() const { return kind_; }
  /// The number of the NUMA domain or device; 0 for other kinds.
  int number() const { return number_; }
  friend bool operator==(const Place&, const Place&) = default;

 private:
  Place() = default;
  Place(Kind kind, int number) : kind_(kind), number_(number) {}

  Kind kind_ = Kind::threads;
  int number_ = 0;
};

/// The place as decks and messages name it, such as "io" or "numa 1".
std::string to_string(const Place& place);

}  // namespace tessera::graph
