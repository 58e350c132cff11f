// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

/// The order in which a body that keeps state sees its items.
enum class Order : std::uint8_t {
  unsaid,   ///< The order is not said. Keepers must say it.
  arrival,  ///< Items come as they become ready, so that the order may differ from run to run.
  stamp     ///< Items come in the order of their stamps, and items of one stamp in the order of the inputs.
};

/// What happens when a body throws an exception.
enum class OnError : std::uint8_t {
  stop,  ///< The run ends, and Run::wait throws the exception.
  skip   ///< The item of the source is dropped with all that this call has emitted, and the report lists it.
         ///< The run goes on.
};

/// The options of a task. Places and workers do not change results, and Order::arrival may.
struct Task {
  /// The place where bodies run.
  Place on = Place::threads();
  /// The largest number of bodies that run at the same time. 0 means as many as the place has threads.
  /// Sources, keepers and tasks with Order::stamp always have one.
  int workers = 0;
  /// The order in which the body sees items. Keepers must say it.
  Order order = Order::unsaid;
  /// For bodies that emit through Out: whether they emit at most one item at each output for each call.
  /// Only then may ordered tasks, or tasks with several inputs, read the outputs.
  bool single = false;
  /// What happens when a body throws an exception.
  OnError on_error = OnError::stop;
  /// For loops and feedback: the largest number of turns that an item may take.
  std::int64_t most = 0;
  /// For sources: the rank on which the source runs, or `every_rank`. Other tasks run where their items are.
  int rank = 0;

  /// The value of `rank` of a source that runs on all ranks. Its ordinals count the items of each rank.
  static constexpr int every_rank = -1;
};

/// The settings of one task that decks may change.
struct TaskSettings {
  /// The largest number of bodies that run at the same time. If it is not set, it stays as it is.
  std::optional<int> workers = {};
  /// The place where bodies run. If it is not set, it stays as it is.
  std::optional<Place> on = {};
};

/// What decks may change of a graph. None of it changes a result.
struct Settings {
  /// The largest number of items of each source that are under way at the same time. 0 keeps the present
  /// value, which at first is four items for each worker.
  std::int64_t window = 0;
  /// The settings of tasks, by name. A name without an index, such as "fft" for "fft[1]", means the copies
  /// for all places of `replicate`.
  std::map<std::string, TaskSettings> tasks = {};
  /// The number of buffers of pools, by name.
  std::map<std::string, int> pools = {};
};

}  // namespace tessera::graph
