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
  /// Opens the file, and reads the header of page `page`, counted from 0. Also throws InputError when the
  /// file does not have this page.
  TiffReader(const std::string& path, int page);

  const TiffLayout& layout() const { return layout_; }

  /// Fills `block`, which has the element type of the layout and lies in the domain of the layout. Decodes
  /// the strips or tiles that hold points of `block`, one at a time.
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
