// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/deck/deck.hpp"

namespace tessera::app {

/// Whether a name ends as those of images do: ".png", ".h5", ".jpg" ...
bool has_image_ending(const std::string& path);

/// Throws InputError when the name that the deck gives for `key`, one of the keys `output.*` for files, ends
/// as those of another format do. Names with other endings, or with none, may be of any format.
void check_ending(const deck::Deck& deck, const std::string& key);

}  // namespace tessera::app
