// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tessera/io/detail/tiff_file.hpp"
#include "tessera/io/detail/tiff_layout.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Decodes one page of a TIFF file. Every function throws InputError when the file is damaged.
class TiffReader {
 public:
  /// Opens the file and reads the header of a page; throws InputError, too, when there is no such page.
  TiffReader(const std::string& path, int page);

  const TiffLayout& layout() const { return layout_; }

  /// Fills `block`, which is of the layout's type and lies in its domain. Decodes the strips or tiles that
  /// hold points of it, and holds one at a time.
  void read(const HostBlock& block);

 private:
  void go_to_page(int page);
  void decode(std::uint32_t number, std::byte* bytes, std::int64_t count);
  [[noreturn]] void fail_damaged() const;

  std::string path_;
  TiffFile file_;
  TiffLayout layout_;
};

}  // namespace tessera::io::detail
