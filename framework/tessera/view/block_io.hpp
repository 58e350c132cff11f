// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera {

/// A box of an array in host memory. The point p lies sum(strides[d] * (p[d] - box[d].begin)) elements after
/// `data`.
struct HostBlock {
  /// The first point of `box`. It may be null when the box is empty.
  std::byte* data = nullptr;
  /// The type of the elements.
  ElementType type = ElementType::uint8;
  /// The points of the block, in global coordinates.
  Box box;
  /// The distance between neighbours in each dimension, in elements, x first. strides[0] is 1.
  std::int64_t strides[max_dimensions] = {};
};

/// A source gives each rank its block of an input: from a file, or from memory. The ranks of one communicator
/// call `read` together, each with the block that it owns, which may be empty.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  /// Fills `block`. Collective. Throws InputError, which names the file, when that fails.
  virtual void read(const HostBlock& block) = 0;
};

/// A sink takes each rank's block of an output. The ranks of one communicator call `write` together, each
/// with the block that it owns, which may be empty.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  /// Stores `block`. When the call returns, the output is complete and has its final name. Collective.
  virtual void write(const HostBlock& block) = 0;
  /// Stores one part of an array that is computed in bands: the blocks of the ranks make up `part` only. The
  /// parts follow each other along one dimension, and the output is complete with the last of them.
  /// Collective. The default calls `write`, which suits sinks that accept any block.
  virtual void write_part(const HostBlock& block, const Box& part) {
    static_cast<void>(part);
    write(block);
  }
};

}  // namespace tessera
