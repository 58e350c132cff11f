// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/formats.hpp"

#include <utility>

#include "tessera/io/detail/built_formats.hpp"
#include "tessera/io/hdf5_version.hpp"

namespace tessera::io {

std::string formats_text() {
  const std::pair<std::string, bool> formats[] = {{"HDF5", detail::has_hdf5}, {"PNG", detail::has_png},
                                                  {"TIFF", detail::has_tiff}, {"JPEG", detail::has_jpeg},
                                                  {"FITS", detail::has_fits}, {"VIDEO", detail::has_video}};
  std::string with;
  std::string without;
  for (const auto& [name, is_built] : formats) {
    std::string& list = is_built ? with : without;
    if (!list.empty()) list += ", ";
    list += name;
    if (is_built && name == "HDF5") list.append(" ").append(hdf5_version());
  }
  const char* between = with.empty() || without.empty() ? "" : ", ";
  return "formats: " + with + between + (without.empty() ? "" : "without ") + without;
}

}  // namespace tessera::io
