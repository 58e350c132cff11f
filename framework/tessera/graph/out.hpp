// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "tessera/graph/emitter.hpp"

namespace tessera::graph {

/// One output of a body that emits any number of items. Bodies get a reference, which is valid during the
/// call only.
template <class T>
class Out {
 public:
  /// Makes the output with the number `output` of the task that `emitter` runs. Only graphs call this.
  Out(detail::Emitter& emitter, int output) : emitter_(emitter), output_(output) {}
  /// Emits an item, which has the stamp of the item that the body was called for. In a scatter it opens a
  /// scope of its own. Throws InternalError if the task is `single` and has already emitted one here.
  void operator()(T value) { emitter_.emit(output_, new detail::ItemOf<T>(std::move(value))); }

 private:
  detail::Emitter& emitter_;
  int output_;
};

}  // namespace tessera::graph
