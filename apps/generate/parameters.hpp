// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stages.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"

namespace generate {

/// The keys of the program.
std::vector<tessera::deck::KeyDeclaration> keys();

/// These return what a deck asks for. They throw InputError.
tessera::Box image_of(const tessera::deck::Deck& deck);
Checkerboard checkerboard_of(const tessera::deck::Deck& deck);
ZonePlate zone_plate_of(const tessera::deck::Deck& deck);
PowerLawNoise noise_of(const tessera::deck::Deck& deck);
StarField stars_of(const tessera::deck::Deck& deck);

}  // namespace generate
