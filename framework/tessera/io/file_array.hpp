// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera::io {

/// The description of one array in a file that may hold several arrays, such as a data set of an HDF5 file.
struct FileArray {
  /// The name of the array.
  std::string name;
  /// The type of the elements.
  ElementType type = ElementType::uint8;
  /// All points of the array, x first.
  Box domain;
};

}  // namespace tessera::io
