// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stages.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"

namespace generate {

/// Returns the keys of the program.
std::vector<tessera::deck::KeyDeclaration> keys();

// The functions below return the points of the image and the pictures that a deck asks for. They throw
// InputError if keys do not fit each other.

/// Returns the points of the image.
tessera::Box image_of(const tessera::deck::Deck& deck);
/// Returns the checkerboard.
Checkerboard checkerboard_of(const tessera::deck::Deck& deck);
/// Returns the zone plate.
ZonePlate zone_plate_of(const tessera::deck::Deck& deck);
/// Returns the noise.
PowerLawNoise noise_of(const tessera::deck::Deck& deck);
/// Returns the field of stars.
StarField stars_of(const tessera::deck::Deck& deck);

}  // namespace generate
