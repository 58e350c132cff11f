// SPDX-License-Identifier: BSD-3-Clause
// Tiles that bands of the plate share.
#include "apps/stitch/composition.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support.hpp"

namespace stitch {
namespace {

using tessera::Range;

constexpr int width = 13, height = 11, channels = 3, tile_count = 3;
constexpr std::int64_t bytes_of_tile = std::int64_t(width) * height * channels * 2;

/// Three tiles of random pixels in three channels, in files.
class StitchKeptTiles : public TileFolder {
 protected:
  TileReader tiles() {
    std::mt19937 random(41);
    TileFiles files{Grid(1, tile_count)};
    for (int tile = 0; tile < tile_count; ++tile) {
      auto& pixels = pixels_.emplace_back();
      for (int i = 0; i < width * height * channels; ++i)
        pixels.push_back(static_cast<std::uint16_t>(random()));
      write_tile(files, {{0, width}, {0, height}, {0, channels}}, pixels);
    }
    return reader_of(std::move(files));
  }

  /// Takes all rows of all tiles, in bands of some rows, and compares them with what was written.
  void expect_rows(KeptTiles& kept, int rows) const {
    const int bands = (height + rows - 1) / rows;
    kept.expect(std::vector<int>(tile_count, bands));
    int wrong = 0;
    for (int band = 0; band < bands; ++band)
      for (int tile = 0; tile < tile_count; ++tile) {
        const Range wanted{band * rows, std::min(height, (band + 1) * rows)};
        const TileRows taken = kept.take(0, tile, wanted);
        for (int channel = 0; channel < channels; ++channel)
          for (std::int64_t y = wanted.begin; y < wanted.end; ++y)
            for (std::size_t x = 0; x < width; ++x)
              wrong += taken.row(channel, y)[x] !=
                       pixels_[at(tile)][at(static_cast<int>((channel * height + y) * width)) + x];
      }
    EXPECT_EQ(wrong, 0);
  }

  std::vector<std::vector<std::uint16_t>> pixels_;
};

TEST_F(StitchKeptTiles, AreReadOnceIfThereIsMemoryForThem) {
  const TileReader reader = tiles();
  KeptTiles kept(reader, channels, tile_count * bytes_of_tile);
  for (const int rows : {1, 4, height}) {
    expect_rows(kept, rows);
    EXPECT_EQ(kept.reads(), tile_count);
  }
}

TEST_F(StitchKeptTiles, AreReadForEachBandIfThereIsNoMemory) {
  const TileReader reader = tiles();
  KeptTiles none(reader, channels, bytes_of_tile - 1);
  expect_rows(none, 4);
  EXPECT_EQ(none.reads(), 3 * tile_count);
  KeptTiles one(reader, channels, 2 * bytes_of_tile - 1);
  expect_rows(one, 4);
  // The last band gives the memory of the first tile up, too late for the others.
  EXPECT_EQ(one.reads(), 1 + 3 * (tile_count - 1));
}

TEST_F(StitchKeptTiles, GiveTheirMemoryUpAfterTheirLastUse) {
  const TileReader reader = tiles();
  KeptTiles kept(reader, channels, bytes_of_tile);
  kept.expect({2, 2, 2});
  for (int tile = 0; tile < tile_count; ++tile)
    for (int use = 0; use < 2; ++use) kept.take(0, tile, {use, use + 1});
  EXPECT_EQ(kept.reads(), tile_count);
}

TEST_F(StitchKeptTiles, CountUntilNobodyUsesThemAnyMore) {
  const TileReader reader = tiles();
  KeptTiles kept(reader, channels, bytes_of_tile);
  kept.expect({2, 2, 2});
  kept.take(0, 0, {0, 1});
  {
    const TileRows last = kept.take(0, 0, {1, 2});
    for (int use = 0; use < 2; ++use) kept.take(0, 1, {use, use + 1});
    EXPECT_EQ(kept.reads(), 1 + 2);
  }
  for (int use = 0; use < 2; ++use) kept.take(0, 2, {use, use + 1});
  EXPECT_EQ(kept.reads(), 1 + 2 + 1);
}

TEST_F(StitchKeptTiles, EachChannelIsReadForItself) {
  const TileReader reader = tiles();
  KeptTiles kept(reader, 1, bytes_of_tile);
  kept.expect({2, 2, 2});
  int wrong = 0;
  for (int channel = 0; channel < channels; ++channel)
    for (int tile = 0; tile < tile_count; ++tile)
      for (const int y : {3, 8}) {
        const TileRows taken = kept.take(channel, tile, {y, y + 1});
        for (std::size_t x = 0; x < width; ++x)
          wrong += taken.row(0, y)[x] != pixels_[at(tile)][at((channel * height + y) * width) + x];
      }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(kept.reads(), channels * tile_count);
}

}  // namespace
}  // namespace stitch
