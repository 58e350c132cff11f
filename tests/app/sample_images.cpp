// SPDX-License-Identifier: BSD-3-Clause
#include "sample_images.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "io/plain_hdf5.hpp"

namespace tessera::app_test {
namespace {

/// In [0, 1].
double sample(const SampleImage& image, int x, int y, int plane) {
  const auto hash = static_cast<std::uint32_t>(x * 7919 + y * 104729 + plane * 1299709 + 17) * 2654435761U;
  if (image.planes == 4 && plane == 3) return hash >> 30 == 0 ? 1 : 0;
  return static_cast<double>((static_cast<std::uint32_t>(x * 11 + y * 7 + plane * 91) + (hash >> 25)) %
                             1000U) /
         999;
}

template <class T>
void write(const std::string& path, const SampleImage& image, hid_t type) {
  const double greatest = std::is_floating_point_v<T> ? 1
                          : image.greatest > 0        ? image.greatest
                                                      : static_cast<double>(std::numeric_limits<T>::max());
  std::vector<T> values;
  for (int plane = 0; plane < std::max(1, image.planes); ++plane)
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x)
        values.push_back(static_cast<T>(greatest * sample(image, x, y, plane)));
  std::vector<hsize_t> extents{static_cast<hsize_t>(image.height), static_cast<hsize_t>(image.width)};
  if (image.planes > 0) extents.insert(extents.begin(), static_cast<hsize_t>(image.planes));
  io_test::write_plain_hdf5(path, "image", extents, values, type, {type, {}});
}

std::string name_of_type(hid_t type) {
  for (const auto& [name, known] : {std::pair{"uint8", H5T_NATIVE_UINT8},
                                    {"uint16", H5T_NATIVE_UINT16},
                                    {"float32", H5T_NATIVE_FLOAT},
                                    {"float64", H5T_NATIVE_DOUBLE}})
    if (H5Tequal(type, known) > 0) return name;
  return "another";
}

}  // namespace

void write_sample(const std::string& path, const SampleImage& image) {
  if (image.type == "uint8") write<std::uint8_t>(path, image, H5T_NATIVE_UINT8);
  if (image.type == "uint16") write<std::uint16_t>(path, image, H5T_NATIVE_UINT16);
  if (image.type == "int16") write<std::int16_t>(path, image, H5T_NATIVE_INT16);
  if (image.type == "int32") write<std::int32_t>(path, image, H5T_NATIVE_INT32);
  if (image.type == "float32") write<float>(path, image, H5T_NATIVE_FLOAT);
  if (image.type == "float64") write<double>(path, image, H5T_NATIVE_DOUBLE);
}

void write_sample(const Folder& folder, const std::string& name, const SampleImage& image) {
  write_sample(folder / name, image);
}

StoredResult read_result(const std::string& path, const std::string& dataset) {
  StoredResult result;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return result;
  if (H5Lexists(file, dataset.c_str(), H5P_DEFAULT) > 0) {
    const hid_t data = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
    const hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    result.type = name_of_type(type);
    result.extents.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, result.extents.data(), nullptr);
    result.bytes.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type));
    EXPECT_GE(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.bytes.data()), 0);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(data);
  }
  H5Fclose(file);
  return result;
}

std::string program_name(const std::string& application) {
  std::string name = "tessera-" + application;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string program_of(const std::string& application) {
  return TESSERA_PROGRAMS "/" + program_name(application);
}

}  // namespace tessera::app_test
