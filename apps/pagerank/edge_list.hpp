// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "links.hpp"
#include "tessera/io/image_info.hpp"

namespace pagerank {

/// Returns the description of a data set with the links of a graph, which has two columns of integers. Not
/// collective. Throws InputError when the data set has another shape or type.
tessera::io::ImageInfo inspect_edge_list(const std::string& path, const std::string& dataset);

/// Reads the links of a data set. Its rows are the links: from the vertex in the first column to the one in
/// the second, both counted from 0. Each rank reads a part of the rows. If LinkReading::vertices is 0, the
/// graph has one vertex more than the greatest number. Collective. Throws InputError, on all ranks, when a
/// vertex is negative or is not in the graph.
Links read_edge_list(MPI_Comm communicator, const std::string& path, const tessera::io::ImageInfo& info,
                     const LinkReading& reading);

}  // namespace pagerank
