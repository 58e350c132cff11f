// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <string>
#include <string_view>
#include <vector>

#include "program_runs.hpp"

// Images and results of the programs as HDF5, through serial HDF5 alone.
namespace tessera::app_test {

/// An image of ramps and noise.
struct SampleImage {
  /// uint8, uint16, int16, int32, float32 or float64: floats lie in [0, 1].
  std::string_view type;
  int width = 40;
  int height = 30;
  /// 0: (x, y). Of four planes the last is 0 or 1, as alpha may be.
  int planes = 0;
  /// The largest value of integers; 0: that of the type.
  int greatest = 0;
};

/// Writes the image to a file.
void write_sample(const std::string& path, const SampleImage& image);
/// Writes the image to a file of a folder.
void write_sample(const Folder& folder, const std::string& name, const SampleImage& image);

/// A data set as it stands in a file.
struct StoredResult {
  std::string type;
  /// Slowest first.
  std::vector<hsize_t> extents;
  std::string bytes;

  bool operator==(const StoredResult&) const = default;
};

/// Reads a data set; one without extents when there is none of that name.
StoredResult read_result(const std::string& path, const std::string& dataset);

/// The path of the program of an application, which has the name of a folder of apps/.
std::string program_of(const std::string& application);

/// Returns the name of a program in its messages.
std::string program_name(const std::string& application);

}  // namespace tessera::app_test
