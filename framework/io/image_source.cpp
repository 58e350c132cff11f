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
  return info.format == ImageFormat::png ? detail::open_png(communicator, path, info)
                                         : detail::open_hdf5(communicator, path, info);
}

}  // namespace tessera::io
