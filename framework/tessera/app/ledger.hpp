// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tessera/deck/deck.hpp"

namespace tessera::app {

/// A file beside the results of a run that lists the items that are finished, so that a run that was killed
/// goes on where it was. An item has a key, which says what it was made from, and may have a value. An item
/// counts only if the deck asks for the same computation as when the item was added. A run that reaches its
/// end removes the ledger, so that the next run computes all items again. Several ranks and threads may use a
/// ledger at the same time.
class Ledger {
 public:
  /// Makes the ledger with the path `path`. All items are made from `files`: none counts if the size or the
  /// time of one of them has changed.
  Ledger(std::string path, const deck::Deck& deck, const std::vector<std::string>& files);

  /// Returns the present sizes and times of files, with their paths, for keys of items.
  static std::string state_of(const std::vector<std::string>& files);

  /// Returns the values of finished items by their keys. One rank should call it, before the first `add`.
  std::map<std::string, std::string> items() const;
  /// Returns a line about `count` items of the kind `what` that are not computed again; an empty text if
  /// there are none.
  std::string remark(std::int64_t count, const std::string& what) const;

  /// Makes the file, whose folder must exist, and removes unfinished files with the temporary names of
  /// `results` that a killed run has left. One rank should call it.
  void begin(const std::vector<std::string>& results) const;
  /// Notes that an item is finished. The key and the value have no ends of lines, and the value has no tabs.
  void add(const std::string& key, const std::string& value = "") const;
  /// Removes the file at the end of the run, and unfinished files as begin() does: processes of a killed run
  /// may have lived a little longer. One rank should call it.
  void finish(const std::vector<std::string>& results) const;

 private:
  std::string path_;
  /// The digest of what the deck computes, and of the state of the files.
  std::uint64_t problem_;
};

}  // namespace tessera::app
