// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/view/gpu_aware.hpp"

namespace tessera::app {

/// Returns the way in which messages are sent, as the deck asks for it. Kokkos must have been started.
/// Collective.
ChosenTransport chosen_transport(const Session& session, const deck::Deck& deck);

/// Whether the deck allows messages between ranks of a device to be staged (see Target::stages_messages).
bool may_stage_messages(const deck::Deck& deck);

/// Returns in words how ranks exchange points, such as "packed points in shared memory within a node, others
/// by messages".
std::string exchange_text(const deck::Deck& deck);

}  // namespace tessera::app
