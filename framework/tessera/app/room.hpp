// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/deck/deck.hpp"

namespace tessera::app {

/// A file that a run is going to write.
struct ExpectedFile {
  /// The key of the deck that names the file.
  std::string key;
  /// The bytes that the file takes. 0 means that they are not known.
  std::int64_t bytes = 0;
};

/// Throws InputError if one of `files` has no folder. Not collective.
void check_folders(const deck::Deck& deck, const std::vector<ExpectedFile>& files);

/// Throws InputError if a file system has no room for all those of `files` that lie on it. Files without a
/// folder, and files of unknown size, are skipped. Not collective.
void check_room(const deck::Deck& deck, const std::vector<ExpectedFile>& files);

}  // namespace tessera::app
