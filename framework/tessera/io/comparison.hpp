// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

/// Writes a picture to look at: the middle of the image before (left) and after (right) processing, at most
/// 128 x 128 points of it, magnified to about 512 pixels, 8 bits a channel. Collective; each rank gives the
/// blocks that it owns of both arrays, whose distributions may differ. Only the middle travels, to rank 0.
///
/// `domain` has 2 dimensions, or 3 with 1 or 3 channels; elements are uint8, uint16 or float32. Integers are
/// shown over their type's range, floats from 0 to 1 or, where it is more, to the greatest value before.
/// Throws InputError on every rank when the file cannot be written; nothing half-written is left.
void write_comparison_png(MPI_Comm communicator, const std::string& path, const HostBlock& before_owned,
                          const HostBlock& after_owned, const Box& domain);

}  // namespace tessera::io
