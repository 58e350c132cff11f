// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera::io {

/// An array of a file that may hold several, such as a data set of HDF5.
struct FileArray {
  std::string name;
  ElementType type = ElementType::uint8;
  Box domain;
};

}  // namespace tessera::io
