// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

class FitsTiles;

/// Reads an image of a FITS file, through CFITSIO. Throws InputError about the path when the file is damaged.
class FitsReader {
 public:
  /// Opens the file at the extension of this name or number; at the first image of 2 or 3 axes when
  /// `extension` is empty. Throws InputError, too, when there is none, or no image in it.
  FitsReader(const std::string& path, const std::string& extension);
  ~FitsReader();

  ElementType type() const { return type_; }
  const Box& domain() const { return domain_; }
  /// Its number: 0 is the primary one.
  int extension() const;

  /// Fills a block of the image's type that lies in its domain; may be empty.
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
  void check_size(int bits) const;
  void check(int status) const;

  std::string path_;
  std::unique_ptr<File> file_;
  std::unique_ptr<FitsTiles> tiles_;  ///< of a compressed image
  ElementType type_ = ElementType::uint8;
  Box domain_;
  bool has_blanks_ = false;  ///< values that CFITSIO is to turn into NaN
};

}  // namespace tessera::io::detail
