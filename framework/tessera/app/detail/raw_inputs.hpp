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

/// The description in a deck of an image file that has no header.
struct RawInput {
  io::RawLayout layout;
  ElementType type = ElementType::uint8;
  Box domain;
};

/// Declares the keys `<image>.raw.shape`, `<image>.raw.type`, `<image>.raw.order` and `<image>.raw.offset`.
void declare_raw_keys(deck::Schema& schema, const std::string& image);

/// Returns the description of `image` that the keys `<image>.raw.*` of the deck give, or nothing if the deck
/// has none of these keys. Throws InputError if keys are missing, have wrong values or contradict each other.
std::optional<RawInput> raw_input(const deck::Deck& deck, const std::string& image);

}  // namespace tessera::app
