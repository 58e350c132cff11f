// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fitsio.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"

namespace tessera::io::detail {

/// Finds damage of an image of integers that is compressed in tiles by RICE or PLIO. CFITSIO does not check
/// for this damage: it allocates as much memory as a header or a table says, copies all values of another
/// column into a tile, and continues to decode a tile beyond the end of its bytes.
class FitsTiles {
 public:
  /// Checks the description of the tiles of the image at which `file` is open. Throws InputError about the
  /// path when the description is damaged. `file` must outlive this object.
  FitsTiles(const std::string& path, fitsfile* file, const Box& domain);

  /// Checks the tiles that hold points of `part`. Throws InputError when CFITSIO must not decode them because
  /// they are damaged.
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
  bool has_lists_ = false;  ///< whether tiles are lists of PLIO
};

}  // namespace tessera::io::detail
