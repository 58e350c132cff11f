// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/io/image_sink.hpp"

namespace tessera::io::detail {

/// A data set of an HDF5 file.
struct XdmfArray {
  std::string file;
  std::string dataset;
  Box domain;
  ElementType type;
  ThirdDimension third;
};

/// Returns the content of an XDMF 2 file that describes a data set; see create_xdmf.
std::string xdmf_text(const XdmfArray& array);

}  // namespace tessera::io::detail
