// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera {

/// A box of an array in host memory. `data` points at the first point of `box`; the point `p` lies
/// sum(strides[d] * (p[d] - box[d].begin)) elements after it, and strides[0] is 1. `data` may be null when
/// the box is empty.
struct HostBlock {
  std::byte* data = nullptr;
  ElementType type = ElementType::uint8;
  Box box;
  std::int64_t strides[max_dimensions] = {};
};

/// Where the pixels of an input come from: a file, or memory. The ranks of one communicator call `read`
/// together, each with the block it owns (empty blocks too).
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  /// Fills `block`; throws InputError naming the file when that fails.
  virtual void read(const HostBlock& block) = 0;
};

/// Where the pixels of an output go. The ranks call `write` together, each with the block it owns.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  /// Stores `block`; what was stored is complete and under its final name when the call returns.
  virtual void write(const HostBlock& block) = 0;
  /// Out of core: the ranks' blocks are only `part` of the array. The parts follow each other along one
  /// dimension, and with the last one all is complete. As it stands, for sinks that take any block.
  virtual void write_part(const HostBlock& block, const Box& part) {
    static_cast<void>(part);
    write(block);
  }
};

}  // namespace tessera
