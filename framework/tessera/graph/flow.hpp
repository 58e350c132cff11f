// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stop_token>
#include <utility>

#include "tessera/graph/item.hpp"
#include "tessera/graph/pool.hpp"
#include "tessera/graph/task.hpp"

namespace tessera::graph {

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

/// What a body is called for. The body may move values out of items that are not shared.
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
