// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/deck/deck.hpp"

namespace tessera::app {

/// Returns whether the file name has an ending of an image format, such as ".png", ".h5" or ".jpg".
bool has_image_ending(const std::string& path);

/// Throws InputError if the deck gives a file name for `key` that has the ending of another format. `key` is
/// one of the keys `output.*`. A name without an ending, or with an unknown ending, fits every format.
void check_ending(const deck::Deck& deck, const std::string& key);

}  // namespace tessera::app
