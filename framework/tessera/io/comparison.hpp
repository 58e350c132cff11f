// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

/// Writes a PNG file with a picture that shows the effect of the processing: the middle of the image before
/// processing on the left, and after processing on the right. Each half shows at most 512 x 512 points, with
/// 8 bits per channel; images of fewer points are magnified to about 512 pixels. `before_owned` and
/// `after_owned` are the blocks of both arrays that this rank owns. The two arrays may be distributed
/// differently. Only the points that are shown are sent to rank 0. Collective.
///
/// `domain` has 2 dimensions, or 3 dimensions with 1, 3 or 4 channels. The elements are uint8, uint16 or
/// float32. Integers are shown over the range of their type. Floats are shown over the range from 0 to 1, or
/// to the greatest value that is shown if this value is more than 1. If both arrays have the same type, both
/// are shown over the range of the array before processing. Throws InputError on every rank when `domain` or
/// a type is not one of these, or when the file cannot be written. After an error, no incomplete file is
/// left.
void write_comparison_png(MPI_Comm communicator, const std::string& path, const HostBlock& before_owned,
                          const HostBlock& after_owned, const Box& domain);

}  // namespace tessera::io
