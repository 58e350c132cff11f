// SPDX-License-Identifier: BSD-3-Clause
// How much memory the composition of a plate needs.
#include "apps/stitch/composition.hpp"

#include <gtest/gtest.h>

#include "tessera/io/image_source.hpp"

namespace stitch {
namespace {

using tessera::Box, tessera::ElementType;

/// Tiles of 60 x 50 points, whose files nobody reads.
TileReader tiles(int rows, int columns, const Box& domain, ElementType type) {
  TileFiles files{Grid(rows, columns), std::vector<std::string>(at(rows * columns), "t.tif")};
  files.overlap = 0.2;
  return {std::move(files), {.format = tessera::io::ImageFormat::tiff, .type = type, .domain = domain}};
}

std::int64_t bytes_of(const TileReader& reader, int workers, std::int64_t memory) {
  return Composition(MPI_COMM_SELF, reader,
                     {.channels = reader.channels_of_slice(), .workers = workers, .memory = memory})
      .bytes();
}

TEST(StitchComposition, NeedsMemoryForBandsAndTheTilesInThem) {
  // Tiles begin at the rows 0, 40, 80 and 120. So up to three rows of tiles lie on the 50 rows of a band.
  const TileReader reader = tiles(4, 3, {{0, 60}, {0, 50}}, ElementType::uint16);
  constexpr std::int64_t row_of_tiles = 3 * 60 * 50 * 2, width = 2 * 48 + 60, band = width * 50 * 2;
  EXPECT_EQ(bytes_of(reader, 1, 0), 2 * band + 3 * row_of_tiles + 16 * width);
  // Two workers have three bands under way, in which all tiles lie.
  EXPECT_EQ(bytes_of(reader, 2, 0), 3 * band + 4 * row_of_tiles + 2 * 16 * width);
  EXPECT_EQ(bytes_of(reader, 9, 0), 4 * band + 4 * row_of_tiles + 9 * 16 * width);
  // Without memory for tiles, their rows are read for each band: 50, and 10 for each row of tiles.
  const std::int64_t least = 2 * band + row_of_tiles * 80 / 50 + 16 * width;
  EXPECT_EQ(bytes_of(reader, 1, 1), least);
  EXPECT_LE(bytes_of(reader, 1, least + row_of_tiles), least + row_of_tiles);
}

TEST(StitchComposition, BytesAndChannelsCount) {
  const TileReader reader = tiles(1, 2, {{0, 60}, {0, 50}, {0, 3}}, ElementType::uint8);
  constexpr std::int64_t width = 48 + 60;
  EXPECT_EQ(bytes_of(reader, 1, 0), width * 50 * 3 + 2 * 60 * 50 * 3 * 2 + 16 * width + 60 * 50 * 3);
}

TEST(StitchComposition, ManySlicesNeedNoMoreThanTwo) {
  const auto bytes = [](int slices, int workers, int bands) {
    TileFiles files{Grid(2, 3), std::vector<std::string>(6, "t.tif")};
    files.slices.resize(at(slices));
    files.overlap = 0.2;
    const TileReader reader(std::move(files), {.format = tessera::io::ImageFormat::tiff,
                                               .type = ElementType::uint16,
                                               .domain = {{0, 60}, {0, 50}}});
    return Composition(MPI_COMM_SELF, reader, {.workers = workers, .bands = bands}).bytes();
  };
  EXPECT_EQ(bytes(2, 1, 0), bytes(60, 1, 0));
  EXPECT_EQ(bytes(3, 2, 0), bytes(60, 2, 0));
  EXPECT_LE(bytes(60, 1, 0), 2 * bytes(1, 1, 0));
  // Fewer bands need less, whatever the number of workers.
  EXPECT_LT(bytes(60, 2, 1), bytes(60, 2, 0));
  constexpr std::int64_t width = 2 * 48 + 60, tile = 60 * 50 * 2;
  EXPECT_EQ(bytes(1, 2, 1), width * 50 * 2 + 2 * 3 * tile + 2 * 16 * width);
}

}  // namespace
}  // namespace stitch
