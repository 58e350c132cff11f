// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tiffio.h>

#include <memory>
#include <string>

#include "tessera/io/detail/files.hpp"

namespace tessera::io::detail {

/// A file that libtiff reads or writes. Nothing is printed: what libtiff has to say is remembered.
class TiffFile {
 public:
  /// `mode` is one of TIFFOpen's. The handle is null when libtiff cannot open the file.
  TiffFile(File file, const char* mode);
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* handle() const { return tiff_.get(); }
  /// The last error.
  const char* error() const { return messages_.error; }
  /// Did libjpeg, of which libtiff makes only a warning, find damage?
  bool has_damaged_jpeg() const { return messages_.damaged_jpeg; }
  /// Closes the file; false when the system could not write all of it. What libtiff holds back goes before.
  bool close();

 private:
  struct Messages {
    char error[200] = {};
    bool damaged_jpeg = false;
  };
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };

  static int on_error(TIFF* tiff, void* messages, const char* module, const char* format, va_list values);
  static int on_warning(TIFF* tiff, void* messages, const char* module, const char* format, va_list values);

  Messages messages_;
  File file_;
  std::unique_ptr<TIFF, Close> tiff_;
};

}  // namespace tessera::io::detail
