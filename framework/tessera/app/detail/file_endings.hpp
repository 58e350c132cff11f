// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/deck/deck.hpp"

namespace tessera::app {

/// Whether a name ends as those of image files do, such as ".png", ".h5" or ".jpg".
bool has_image_ending(const std::string& path);

/// Throws InputError when the file name that the deck gives for `key`, which is one of the keys `output.*`,
/// has the ending of another format. A name with an unknown ending, or with none, fits every format.
void check_ending(const deck::Deck& deck, const std::string& key);

}  // namespace tessera::app
