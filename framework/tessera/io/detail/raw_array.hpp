// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>

#include "tessera/io/image_info.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Fills `block` from an open file that holds the points of `domain` without padding, x fastest. `layout`
/// gives the place of the first point in the file, and the byte order. Throws InputError about `path` when
/// the file cannot be read.
void read_array(const std::string& path, std::FILE* file, const RawLayout& layout, const Box& domain,
                const HostBlock& block);

}  // namespace tessera::io::detail
