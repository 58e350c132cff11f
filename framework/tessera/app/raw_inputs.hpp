// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/deck/key.hpp"
#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::app {

/// The description in a deck of an image file that has no header.
struct RawInput {
  /// The place and the byte order of the numbers.
  io::RawLayout layout;
  /// The type of the numbers.
  ElementType type = ElementType::uint8;
  /// All points of the image.
  Box domain;
};

/// Returns the keys `<image>.raw.shape`, `<image>.raw.type`, `<image>.raw.order` and `<image>.raw.offset`.
std::vector<deck::KeyDeclaration> raw_keys(const std::string& image);

/// Returns the description of `image` that the keys `<image>.raw.*` of the deck give, or nothing if the deck
/// has none of these keys. Throws InputError if keys are missing, have wrong values or contradict each other.
std::optional<RawInput> raw_input(const deck::Deck& deck, const std::string& image);

/// Returns the description of the file that the key `<image>.file` names. The keys `<image>.raw.*` describe
/// it if the deck has them, and otherwise its header does, where `choice` says which of several images is
/// meant. Collective. Throws InputError as raw_input, inspect_raw and inspect_image do.
io::ImageInfo inspect_input(MPI_Comm communicator, const deck::Deck& deck, const std::string& image,
                            const io::ImageChoice& choice);
/// Returns the description of the file `path` in the same way. Another key than `<image>.file` names it.
io::ImageInfo inspect_input(MPI_Comm communicator, const deck::Deck& deck, const std::string& image,
                            const std::string& path, const io::ImageChoice& choice);

}  // namespace tessera::app
