// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tiffio.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// The largest number of bytes that a strip or tile may have to be read. A row of a file that Tessera writes
/// may have as many bytes.
inline constexpr std::int64_t most_chunk_bytes = std::numeric_limits<int>::max();

/// Returns whether an image of `data_bytes` bytes must be written as BigTIFF. Offsets in other TIFF files
/// have only 32 bits, and the tables of the file need some space, too.
constexpr bool needs_big_tiff(std::int64_t data_bytes) { return data_bytes > std::int64_t{3900} << 20; }

/// Returns the sample format of real elements in TIFF files.
int sample_format(ElementType type);

/// Creates a TIFF file, as create_image does.
std::unique_ptr<BlockSink> create_tiff(MPI_Comm communicator, const std::string& path, const Box& domain,
                                       ElementType type, int threads);

/// A file that libtiff reads or writes. The last error of libtiff is kept, and nothing is printed.
class TiffFile {
 public:
  /// Opens `file` in libtiff. `mode` is a mode of TIFFOpen, such as `r` or `w`. The handle is null when
  /// libtiff cannot open the file.
  TiffFile(File file, const char* mode);
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  TIFF* handle() const { return tiff_.get(); }
  /// Returns the message of the last error; empty if there was no error.
  const char* error() const { return messages_.error; }
  /// Returns whether libjpeg has found damage. libtiff reports such damage only as a warning.
  bool has_damaged_jpeg() const { return messages_.damaged_jpeg; }
  /// Writes the data that libtiff still holds in memory, and closes the file. Returns false when the system
  /// cannot write the file completely.
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
