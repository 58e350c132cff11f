// SPDX-License-Identifier: BSD-3-Clause
#include "kept_tiles.hpp"

#include <utility>

namespace stitch {

KeptTiles::Kept::~Kept() {
  const std::lock_guard lock(owner.mutex_);
  owner.bytes_ -= owner.bytes_of_tile();
}

void KeptTiles::expect(std::vector<int> uses) {
  uses_of_tiles_ = std::move(uses);
  uses_.clear();
  reads_ = 0;
}

std::int64_t KeptTiles::bytes_of_tile() const {
  return static_cast<std::int64_t>(reader_.extent().pixels() * sizeof(std::uint16_t)) * channels_;
}

/// Returns what is kept of a tile, or nothing if it is not kept. The last use gives it up.
std::shared_ptr<KeptTiles::Kept> KeptTiles::find(int part, int tile) {
  const std::lock_guard lock(mutex_);
  const auto found = uses_.try_emplace({part, tile}, Use{uses_of_tiles_[at(tile)], nullptr}).first;
  Use& use = found->second;
  const bool is_last = --use.left <= 0;
  if (!use.kept && !is_last && bytes_ + bytes_of_tile() <= most_bytes_) {
    use.kept = std::make_shared<Kept>(*this);
    bytes_ += bytes_of_tile();
  }
  std::shared_ptr<Kept> kept = use.kept;
  if (is_last) uses_.erase(found);
  return kept;
}

TileRows KeptTiles::take(int part, int tile, tessera::Range rows) {
  using Pixels = const std::vector<std::uint16_t>;
  const int width = reader_.extent().width;
  const std::shared_ptr<Kept> kept = find(part, tile);
  if (!kept) return {rows, width, std::make_shared<Pixels>(read(part, tile, rows))};
  const tessera::Range all{0, reader_.extent().height};
  // Others that need the same tile wait until it is there.
  const std::lock_guard lock(kept->mutex);
  if (kept->pixels.empty()) kept->pixels = read(part, tile, all);
  return {all, width, std::shared_ptr<Pixels>(kept, &kept->pixels)};
}

std::vector<std::uint16_t> KeptTiles::read(int part, int tile, tessera::Range rows) {
  {
    const std::lock_guard lock(mutex_);
    ++reads_;
  }
  std::vector<std::uint16_t> pixels(
      static_cast<std::size_t>(rows.size() * reader_.extent().width * channels_));
  reader_.read(tile, {std::int64_t(part) * channels_, std::int64_t(part + 1) * channels_}, rows, pixels);
  return pixels;
}

}  // namespace stitch
