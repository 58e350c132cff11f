// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "tessera/graph/emitter.hpp"

namespace tessera::graph {

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
