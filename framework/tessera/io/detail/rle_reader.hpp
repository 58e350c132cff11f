// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/rle_text.hpp"

namespace tessera::io::detail {

/// Decodes one RLE pattern file of the Game of Life, the format of Golly and LifeWiki
/// (https://conwaylife.com/wiki/Run_Length_Encoded). Every function throws InputError when the file is
/// damaged, or of another rule.
class RleReader {
 public:
  /// Opens the file and reads its header, up to the cells.
  explicit RleReader(const std::string& path);

  /// x and y, from 0.
  const Box& domain() const { return domain_; }

  /// Decodes the cells up to the '!', and calls `use` for each run of live ones in row y. Once.
  void read_runs(const std::function<void(std::int64_t y, const Range& x)>& use);

 private:
  void read_header();
  std::int64_t read_extent(char name);
  void read_rule();
  std::int64_t read_number();
  /// How often the next tag counts.
  std::int64_t read_count();
  void expect(char character);
  /// Throws InputError unless so many cells fit into row y from x on.
  void check_room(std::int64_t count, std::int64_t x, std::int64_t y) const;
  [[noreturn]] void fail_at_tag(int tag) const;
  [[noreturn]] void fail_damaged(const std::string& problem) const;

  std::string path_;
  File file_;
  RleText text_;
  Box domain_;
};

}  // namespace tessera::io::detail
