// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "tessera/io/image_info.hpp"

namespace tessera::app {

/// Reads an image of floats or doubles, and returns the first point at which it holds NaN or an infinity,
/// such as "(3, 5)". Returns an empty text if there is none, or if the image has another type. Collective:
/// each rank reads some of the rows, and all ranks return the same. Throws InputError if the image cannot be
/// read.
std::string first_not_finite(MPI_Comm communicator, const std::string& path, const io::ImageInfo& info);

}  // namespace tessera::app
