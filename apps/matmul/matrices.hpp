// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "plan.hpp"
#include "tessera/app/job_application.hpp"
#include "tessera/io/image_source.hpp"

namespace matmul {

/// A file of a matrix.
struct MatrixFile {
  std::string path;
  tessera::io::ImageInfo info;

  std::int64_t rows() const { return info.domain[1].size(); }
  std::int64_t columns() const { return info.domain[0].size(); }
};

/// The matrices that the deck names.
struct Matrices {
  MatrixFile a, b;
  /// The old C, if beta is not 0.
  std::optional<MatrixFile> c;

  tessera::ElementType type() const { return a.info.type; }
  Shape shape() const { return {a.rows(), b.columns(), a.columns()}; }
};

/// Reads the headers of the matrices. Collective. Throws InputError on all ranks if a file is not a matrix of
/// float32 or float64, if types or shapes do not fit each other, or if the old C is given without `beta` or
/// the other way round.
Matrices inspect_matrices(const tessera::app::JobSetting& setting);

/// Returns the bytes per second with which rank 0 reads a part of `file`, on all ranks. Collective.
double reading_speed(MPI_Comm communicator, const MatrixFile& file);

}  // namespace matmul
