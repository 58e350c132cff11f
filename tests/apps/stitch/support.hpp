// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "apps/stitch/tile_reader.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/io/image_sink.hpp"

namespace stitch {

/// Returns the message of the InputError that a task throws, or an empty text.
template <class Task>
std::string error_of(const Task& task) {
  try {
    task();
  } catch (const tessera::InputError& error) {
    return error.what();
  }
  return "";
}

/// A test with a folder of tiles.
class TileFolder : public testing::Test {
 protected:
  TileFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "tessera-stitch-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~TileFolder() override { std::filesystem::remove_all(folder_); }

  /// Writes the next tile of `files`, and adds its path.
  void write_tile(TileFiles& files, const tessera::Box& box, std::vector<std::uint16_t>& pixels) const {
    constexpr tessera::ElementType type = tessera::ElementType::uint16;
    const int tile = static_cast<int>(files.paths.size());
    files.names.push_back(files.grid.cell(tile));
    files.paths.push_back(folder_ / (std::to_string(tile) + ".tif"));
    tessera::io::create_image(MPI_COMM_SELF, tessera::io::ImageFormat::tiff, files.paths.back(), box, type)
        ->write(tessera::packed_block(reinterpret_cast<std::byte*>(pixels.data()), type, box));
  }
  /// Returns a reader of tiles that were written.
  static TileReader reader_of(TileFiles files) {
    const auto info = TileReader::inspect(files, {});
    return {std::move(files), info};
  }

  std::filesystem::path folder_;
};

}  // namespace stitch
