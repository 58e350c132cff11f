// SPDX-License-Identifier: BSD-3-Clause
#include "kept_tiles.hpp"

#include <utility>

namespace stitch {

void KeptTiles::expect(std::vector<int> uses) {
  uses_ = std::move(uses);
  kept_.clear();
  bytes_ = reads_ = 0;
}

std::int64_t KeptTiles::bytes_of_tile() const {
  return static_cast<std::int64_t>(reader_.extent().pixels() * sizeof(std::uint16_t)) * reader_.channels();
}

/// Returns what is kept of a tile, or nothing if it is not kept. The last use gives it up.
std::shared_ptr<KeptTiles::Kept> KeptTiles::find(int tile) {
  const std::lock_guard lock(mutex_);
  const bool is_last = --uses_[at(tile)] <= 0;
  const auto found = kept_.find(tile);
  if (found == kept_.end()) {
    if (is_last || bytes_ + bytes_of_tile() > most_bytes_) return nullptr;
    bytes_ += bytes_of_tile();
    return kept_[tile] = std::make_shared<Kept>();
  }
  const std::shared_ptr<Kept> kept = found->second;
  if (is_last) {
    kept_.erase(found);
    bytes_ -= bytes_of_tile();
  }
  return kept;
}

TileRows KeptTiles::take(int tile, tessera::Range rows) {
  const std::shared_ptr<Kept> kept = find(tile);
  if (!kept) return read(tile, rows);
  // Others that need the same tile wait until it is there.
  const std::lock_guard lock(kept->mutex);
  if (!kept->all.pixels) kept->all = read(tile, {0, reader_.extent().height});
  return kept->all;
}

TileRows KeptTiles::read(int tile, tessera::Range rows) {
  {
    const std::lock_guard lock(mutex_);
    ++reads_;
  }
  const int width = reader_.extent().width;
  std::vector<std::uint16_t> pixels(static_cast<std::size_t>(rows.size() * width * reader_.channels()));
  reader_.read(tile, {0, reader_.channels()}, rows, pixels);
  return {rows, width, std::make_shared<const std::vector<std::uint16_t>>(std::move(pixels))};
}

}  // namespace stitch
