// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/rle_text.hpp"

namespace tessera::io::detail {

/// Decodes one RLE pattern file of the Game of Life, in the format of Golly and LifeWiki
/// (https://conwaylife.com/wiki/Run_Length_Encoded). Every function throws InputError when the file is
/// damaged, or when its pattern has another rule than the Game of Life.
class RleReader {
 public:
  /// Opens the file, and reads everything before the cells.
  explicit RleReader(const std::string& path);

  /// Returns the domain of the pattern: (x, y), where both begin at 0.
  const Box& domain() const { return domain_; }

  /// Decodes the cells up to the '!', and calls `use` for each run of live cells. `y` is the row of the run,
  /// and `x` has its columns. May be called only once.
  void read_runs(const std::function<void(std::int64_t y, const Range& x)>& use);

 private:
  void read_header();
  std::int64_t read_extent(char name);
  void read_rule();
  std::int64_t read_number();
  /// Reads the number before the next tag, which is a character such as `b`, `o` or `$`. The number says how
  /// often the tag is repeated. Returns 1 if there is no number.
  std::int64_t read_count();
  void expect(char character);
  /// Throws InputError unless `count` cells fit into row `y` from column `x` on.
  void check_room(std::int64_t count, std::int64_t x, std::int64_t y) const;
  [[noreturn]] void fail_at_tag(int tag) const;
  [[noreturn]] void fail_damaged(const std::string& problem) const;

  std::string path_;
  File file_;
  RleText text_;
  Box domain_;
};

}  // namespace tessera::io::detail
