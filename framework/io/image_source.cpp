// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/image_source.hpp"

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io {

void detail::fail_changed(const std::string& path) {
  fail(path, "has changed its size or type while the program ran", "start again");
}

std::unique_ptr<BlockSource> open_image(MPI_Comm communicator, const std::string& path,
                                        const ImageInfo& info) {
  switch (info.format) {
    case ImageFormat::png:
      return detail::open_png(communicator, path, info);
    case ImageFormat::rle:
      return detail::open_rle(communicator, path, info);
    case ImageFormat::tiff:
      return detail::open_tiff(communicator, path, info);
    case ImageFormat::jpeg:
      return detail::open_jpeg(communicator, path, info);
    case ImageFormat::hdf5:
      break;
  }
  return detail::open_hdf5(communicator, path, info);
}

}  // namespace tessera::io
