// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Reads an image of a FITS file with the library CFITSIO. The constructor and `read` throw InputError about
/// the path when the file is damaged.
class FitsReader {
 public:
  /// Opens the file at `extension`, which is the name or the number of an extension. If `extension` is empty,
  /// the file is opened at the first image with 2 or 3 axes. Throws InputError when the extension does not
  /// exist, or is not such an image.
  FitsReader(const std::string& path, const std::string& extension);
  ~FitsReader();

  ElementType type() const { return type_; }
  const Box& domain() const { return domain_; }
  /// Returns the number of the extension at which the file is open. The primary header has the number 0.
  int extension() const;

  /// Fills a block, which has the type of the image and lies in its domain. The block may be empty.
  void read(const HostBlock& block);

 private:
  struct File;

  void open();
  void move_to(const std::string& extension);
  void move_to_name(const std::string& name);
  bool move_on();
  bool is_image() const;
  std::string name() const;
  double number_of(const char* key, double otherwise) const;
  void find_layout();
  bool is_quantised() const;
  void check_size(double bytes) const;
  void check(int status) const;

  std::string path_;
  std::unique_ptr<File> file_;
  ElementType type_ = ElementType::uint8;
  Box domain_;
  /// Whether there may be points without a value, which CFITSIO is to turn into NaN in floating blocks. It
  /// leaves floats unchanged if it is not to look for such points.
  bool has_blanks_ = false;
};

}  // namespace tessera::io::detail
