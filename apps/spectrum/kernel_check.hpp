// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/deck/deck.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/block_io.hpp"

namespace spectrum {

/// Checks the image in the file that the key `kernel.file` names. Throws InputError unless it is a kernel:
/// finite weights without channels, not all of which are 0, and the sum of whose magnitudes is finite.
void check_kernel(const tessera::deck::Deck& deck, const tessera::io::ImageInfo& file,
                  tessera::BlockSource& source);

}  // namespace spectrum
