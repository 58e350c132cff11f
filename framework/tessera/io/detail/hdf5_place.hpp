// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/io/file_array.hpp"

namespace tessera::io::detail {

/// Makes the file `file_name` an HDF5 file with one contiguous data set, whose points are not written.
/// Returns where in the file the first of them lies. Space on the disk is reserved for all of them, if the
/// file system supports this. Not collective. Throws InputError about `path`.
std::int64_t create_hdf5_place(const std::string& file_name, const std::string& path, const FileArray& array);

}  // namespace tessera::io::detail
