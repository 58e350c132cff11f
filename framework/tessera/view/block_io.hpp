// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera {

/// A box of an array in host memory. The point with the global coordinates p lies sum(strides[d] * (p[d] -
/// box[d].begin)) elements after `data`.
struct HostBlock {
  /// The address of the first point of `box`. It may be null if `box` is empty.
  std::byte* data = nullptr;
  /// The type of the elements.
  ElementType type = ElementType::uint8;
  /// The points of the block, in global coordinates.
  Box box;
  /// The distance between neighbours in each dimension, in elements, x first. strides[0] is 1.
  std::int64_t strides[max_dimensions] = {};
};

/// A source gives each rank its block of an input, from a file or from memory. All ranks of a communicator
/// call `read` together. Each rank passes the block that it owns, which may be empty.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  /// Fills `block`. Collective. Throws InputError with the name of the file if the points cannot be read.
  virtual void read(const HostBlock& block) = 0;
};

/// A sink takes each rank's block of an output. All ranks of a communicator call `write` together. Each rank
/// passes the block that it owns, which may be empty.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  /// Stores `block`. When the call returns, the output is complete and has its final name. Collective.
  virtual void write(const HostBlock& block) = 0;
  /// Stores one part of an array that is computed in bands. The blocks of all ranks together make up `part`.
  /// The parts follow each other along one dimension, and the output is complete after the last part.
  /// Collective. The default implementation calls `write`. Sinks whose `write` does not accept the blocks of
  /// a single part must override it.
  virtual void write_part(const HostBlock& block, const Box& part) {
    static_cast<void>(part);
    write(block);
  }
};

// Blocks in host memory, which one thread copies.

/// Returns a block for the memory at `data`, which holds the points of `box` without padding, x fastest.
HostBlock packed_block(std::byte* data, ElementType type, const Box& box);

/// Returns the address of the first point of `part`. `part` lies in the box of the block.
std::byte* address_of(const HostBlock& block, const Box& part);

/// Copies the points of `part` from one block to another. Both blocks hold `part`, and have the same element
/// type.
void copy_part(const HostBlock& from, const HostBlock& to, const Box& part);

}  // namespace tessera
