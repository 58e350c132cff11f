// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "links.hpp"

namespace pagerank {

/// The contents of the first lines of a Matrix Market file.
struct MatrixMarketHeader {
  /// The number of vertices: of rows, and of columns.
  std::int64_t vertices = 0;
  /// The number of entries that follow.
  std::int64_t entries = 0;
  /// Whether each entry has a number beside its row and its column.
  bool has_numbers = false;
  /// Whether these numbers are integers.
  bool has_integers = false;
  /// Whether an entry beside the diagonal stands for both of its directions.
  bool is_symmetric = false;
  /// The number of the line that has the size of the matrix, from 1.
  std::int64_t size_line = 0;
  /// The number of bytes before the entries.
  std::int64_t begin = 0;
};

/// Whether the content of a file begins as that of Matrix Market files does. Not collective.
bool is_matrix_market(const std::string& path);

/// Reads the first lines of a file. Not collective. Throws InputError when the matrix is not one of
/// coordinates, when its numbers are complex, when it is neither general nor symmetric, when it is not
/// square, and when it has no or too many rows.
MatrixMarketHeader read_header(const std::string& path);

/// Reads the entries of a file. Each rank reads a part of the bytes, and parses it with all of its threads.
/// Kokkos has been started. Collective. Throws InputError, on all ranks, with the number of the line that
/// cannot be used.
Links read_entries(MPI_Comm communicator, const std::string& path, const MatrixMarketHeader& header,
                   const LinkReading& reading);

}  // namespace pagerank
