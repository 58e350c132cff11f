// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"
#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/image_info.hpp"

namespace tessera::app {

/// The description that a deck gives of an image file without a header.
struct RawInput {
  io::RawLayout layout;
  ElementType type = ElementType::uint8;
  Box domain;
};

/// Declares `<image>.raw.shape`, `.type`, `.order` and `.offset`.
void declare_raw_keys(deck::Schema& schema, const std::string& image);

/// Returns the description of `image` by the keys `<image>.raw.*`, or nothing when the deck gives none of
/// them. Throws InputError when they do not suffice or contradict each other.
std::optional<RawInput> raw_input(const deck::Deck& deck, const std::string& image);

}  // namespace tessera::app
