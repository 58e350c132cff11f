// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

/// Writes a picture to look at: the middle of the image before processing on the left, and after it on the
/// right. Each half shows at most 128 x 128 points, magnified to about 512 pixels, with 8 bits per channel.
/// Each rank gives the blocks that it owns of both arrays. The distributions of the arrays may differ. Only
/// points of the middle are sent, to rank 0. Collective.
///
/// `domain` has 2 dimensions, or 3 with 1 or 3 channels; elements are uint8, uint16 or float32. Integers are
/// shown over the range of their type, and floats from 0 to 1, or to the greatest value shown where that is
/// more. If both arrays have the same type, both are shown over the range of the array before processing.
/// Throws InputError on every rank when the domain or a type is not one of these, or when the file cannot be
/// written. No incomplete file is left.
void write_comparison_png(MPI_Comm communicator, const std::string& path, const HostBlock& before_owned,
                          const HostBlock& after_owned, const Box& domain);

}  // namespace tessera::io
