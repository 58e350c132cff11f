// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "tessera/graph/item.hpp"
#include "tessera/graph/pool.hpp"

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

/// The consequence when a body throws an exception.
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
  /// The consequence when a body throws an exception.
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

/// The settings of a graph that decks may change. None of them changes a result.
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

/// The items of the type T that a task emits. A flow is a small value that refers to its graph by a number.
/// Several tasks may read the same flow, and then share its items.
template <class T>
class Flow {
 public:
  /// Makes a flow that belongs to no graph.
  Flow() = default;
  /// Makes the flow with the number `number`. Only graphs call this.
  explicit Flow(int number) : number_(number) {}
  /// Returns the number of the flow in its graph. It is -1 if the flow belongs to no graph.
  int number() const { return number_; }

 private:
  int number_ = -1;
};

class Bytes;

namespace detail {

/// Takes the items that a body emits.
class Emitter {
 public:
  virtual ~Emitter() = default;
  /// Passes on an item of the output `output` while the body runs.
  virtual void emit(int output, Item* item) = 0;
  /// Passes on the only item that the body emits. The body must be about to return.
  virtual void emit_last(int output, Item* item) = 0;
  /// Returns the rank that items with this key are sent to.
  virtual int rank_of(std::int64_t key) const = 0;
  /// Returns the rank of this process.
  virtual int own_rank() const = 0;
  /// Returns whether the run leaves no item out: it has not been stopped, and no task skips items.
  virtual bool has_all_items() const = 0;
  /// Sends an item of the task that runs to another rank.
  virtual void send(int rank, Bytes bytes) = 0;
};

/// The arguments of a call of a body. The body may move values out of items that are not shared.
struct Call {
  /// The item, or the Joined items of a task with several inputs. It is null for sources. A body that emits
  /// the item itself sets it to null.
  Item* item = nullptr;
  /// The input at which the item came, for keepers.
  int input = 0;
  /// The number of the item, for sources.
  std::int64_t ordinal = 0;
  /// The buffers that were granted, by the order of the pools. The body takes over their holds, and sets the
  /// entries that it has taken to null.
  PoolSlot** grants = nullptr;
  /// Tells a source whether the run stops.
  const std::stop_source* stop = nullptr;
};

/// The body of a task, without the types of its items. Each worker of a task has a body of its own.
class Body {
 public:
  virtual ~Body() = default;
  /// Is called once before the first item, on the thread of the first call.
  virtual void start(const Place& place) { static_cast<void>(place); }
  /// Runs the body. Returns false if a source has no more items, or if an item leaves its loop.
  virtual bool call(Emitter& emitter, Call& call) = 0;
  /// Is called once after the last item of the run.
  virtual void finish(Emitter& emitter) { static_cast<void>(emitter); }
  /// Returns the item that another rank has sent as `bytes`. Only bodies of `send` make one.
  virtual Item* receive(Bytes& bytes) {
    static_cast<void>(bytes);
    return nullptr;
  }
};

}  // namespace detail

/// One output of a body that emits any number of items. Bodies get a reference to it, which is valid during
/// the call only.
template <class T>
class Out {
 public:
  /// Makes the output with the number `output` of the task that `emitter` runs. Only graphs call this.
  Out(detail::Emitter& emitter, int output) : emitter_(emitter), output_(output) {}
  /// Emits an item, which gets the stamp of the item that the body was called for. The items of a scatter
  /// also get the number of the part, from 0. Throws InternalError if the task is `single` and has already
  /// emitted an item here in this call.
  void operator()(T value) { emitter_.emit(output_, new detail::ItemOf<T>(std::move(value))); }
  /// Returns whether the run leaves no item out: it has not been stopped, and no task skips items. Bodies
  /// that must have got all items ask this when they finish.
  bool has_all_items() const { return emitter_.has_all_items(); }

 private:
  detail::Emitter& emitter_;
  int output_;
};

}  // namespace tessera::graph
