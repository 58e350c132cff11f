// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/io/formats.hpp"

namespace tessera::app {

/// Returns whether the file name has an ending of an image format, such as ".png", ".h5" or ".jpg".
bool has_image_ending(const std::string& path);

/// Returns the key for files of this format, such as "output.png"; empty if there is none.
std::string output_key_in(const io::Format& format);

/// Returns the key of the output whose format the ending of a file name stands for, such as "output.png" for
/// "a.png". Returns an empty text if the ending stands for no image format that programs write.
std::string output_key_of(const std::string& path);

/// Returns the keys such as "output.png" that may name a file for a result, each in a format of its own.
std::vector<std::string> output_keys();

/// Returns the format of the files that a key such as "output.png" names.
io::ImageFormat format_of_key(const std::string& key);

/// Throws InputError if the deck gives a file name for `key` that has the ending of another format. `key` is
/// one of the keys `output.*`. A name without an ending, or with an unknown ending, fits every format.
void check_ending(const deck::Deck& deck, const std::string& key);

/// Throws InputError if the file name that the deck gives for `key` does not have the ending of an image
/// format that the program writes.
void check_written(const deck::Deck& deck, const std::string& key);

}  // namespace tessera::app
