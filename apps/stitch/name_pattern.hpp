// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stitch {

/// The numbers in the name of a tile.
struct TileNumbers {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t index = 0;
  std::int64_t z = 0;
  std::int64_t channel = 0;
  friend auto operator<=>(const TileNumbers&, const TileNumbers&) = default;
};

/// A pattern of file names such as `tiles/tile_r{row:3}_c{col:3}.tif`, or with one number, `{index:4}`. It
/// may also have the number of the slice, `{z:2}`, and that of the channel, `{channel}`. The number after the
/// colon is the least number of digits: shorter numbers have zeros in front.
class NamePattern {
 public:
  /// Makes the pattern of the names of tiles. Throws InputError about a pattern that is malformed, without
  /// the name of the key.
  explicit NamePattern(const std::string& text);
  /// Makes the pattern of the names of plates, which may have `{z}` and `{channel}`, but none of the other
  /// fields. Braces with another text stand for themselves. Throws InputError as the constructor does.
  static NamePattern of_plates(const std::string& text);

  /// Whether names have the number of the tile instead of its row and column.
  bool has_index() const { return has(&TileNumbers::index); }
  bool has_z() const { return has(&TileNumbers::z); }
  bool has_channel() const { return has(&TileNumbers::channel); }
  /// The folder of the files; "." if the pattern names none.
  std::string folder() const;
  /// Returns the path of a tile or a plate.
  std::string path(const TileNumbers& numbers) const;
  /// Returns the numbers in a file name, which has no folder. Returns nothing if it does not fit the pattern.
  std::optional<TileNumbers> match(std::string_view name) const;

 private:
  struct Part {
    std::string literal = {};
    std::int64_t TileNumbers::*field = nullptr;
    std::size_t width = 0;
  };
  NamePattern() = default;
  void parse(const std::string& text, bool is_plate);
  static std::optional<Part> field_in(const std::string& text, bool is_plate);
  void check_folder() const;
  bool has(std::int64_t TileNumbers::*field) const;
  bool is_exact(std::size_t part) const;

  std::string folder_;
  std::vector<Part> parts_;
};

}  // namespace stitch
