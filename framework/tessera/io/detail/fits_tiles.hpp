// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fitsio.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"

namespace tessera::io::detail {

/// Finds damage of a compressed image, of integers by RICE or PLIO, that CFITSIO does not look for: it asks
/// for as much memory as a header or a table says, copies into a tile as many values as another column has,
/// and decodes a tile beyond the end of its bytes.
class FitsTiles {
 public:
  /// Of the image at which `file`, which must outlive this, stands. Throws InputError about the path when
  /// what tells of its tiles is damaged.
  FitsTiles(const std::string& path, fitsfile* file, const Box& domain);

  /// Throws InputError when CFITSIO must not decode the tiles that hold points of `part`.
  void check(const Box& part) const;

 private:
  [[noreturn]] void fail_as_damaged(const char* why) const;
  LONGLONG number_of(const std::string& key, LONGLONG otherwise) const;
  int column(const char* name) const;
  void find_extents();
  void find_column();
  void check_lengths();
  Box tile_at(LONGLONG row) const;
  void check_list(LONGLONG row) const;
  void check_rice(LONGLONG row, std::int64_t points) const;
  std::vector<std::uint8_t> bytes_of(LONGLONG row) const;

  std::string path_;
  fitsfile* file_;
  Box domain_;
  LONGLONG file_bytes_ = 0;
  std::array<LONGLONG, 3> extents_{};
  int column_ = 0;
  std::vector<LONGLONG> lengths_;
  bool has_lists_ = false;  ///< of PLIO
};

}  // namespace tessera::io::detail
