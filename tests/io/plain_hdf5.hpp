// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// HDF5 files through serial HDF5 alone, to check Tessera's against.
namespace tessera::io_test {

/// How a data set is stored.
struct PlainStorage {
  hid_t type = H5T_NATIVE_UINT8;
  std::vector<hsize_t> chunk = {};  ///< empty: contiguous
  bool is_compressed = true;        ///< where there are chunks
  hsize_t user_block = 0;           ///< of a new file
  std::string external = {};        ///< the file that holds the values, if not this one
};

/// Adds a data set, extents slowest first, to a file that is created when it is missing. It stays as it was
/// created when there are no values.
template <class T>
void write_plain_hdf5(const std::string& path, const std::string& name, const std::vector<hsize_t>& extents,
                      const std::vector<T>& values, hid_t memory_type, const PlainStorage& storage) {
  const hid_t access = H5P_DEFAULT;
  const bool exists = std::filesystem::exists(path);
  const hid_t file_creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_userblock(file_creation, storage.user_block);
  const hid_t file = exists ? H5Fopen(path.c_str(), H5F_ACC_RDWR, access)
                            : H5Fcreate(path.c_str(), H5F_ACC_EXCL, file_creation, access);
  const hid_t space = extents.empty()
                          ? H5Screate(H5S_SCALAR)
                          : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  if (!storage.chunk.empty()) {
    H5Pset_chunk(creation, static_cast<int>(storage.chunk.size()), storage.chunk.data());
    if (storage.is_compressed) H5Pset_deflate(creation, 4);
  }
  if (!storage.external.empty()) H5Pset_external(creation, storage.external.c_str(), 0, H5F_UNLIMITED);
  const hid_t dataset = H5Dcreate2(file, name.c_str(), storage.type, space, links, creation, H5P_DEFAULT);
  if (!values.empty()) {
    EXPECT_GE(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }
  H5Dclose(dataset);
  H5Pclose(creation);
  H5Pclose(links);
  H5Sclose(space);
  H5Fclose(file);
  H5Pclose(file_creation);
}

/// A data set as it stands in a file.
template <class T>
struct PlainHdf5 {
  std::vector<hsize_t> extents;  ///< slowest first
  std::vector<T> values;
  bool same_type = false;  ///< the file's type is the one asked for
  bool contiguous = false;
};

template <class T>
PlainHdf5<T> read_plain_hdf5(const std::string& path, const std::string& name, hid_t type) {
  PlainHdf5<T> result;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  const hid_t stored = H5Dget_type(dataset);
  const hid_t creation = H5Dget_create_plist(dataset);
  result.extents.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, result.extents.data(), nullptr);
  result.values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  result.same_type = H5Tequal(stored, type) > 0;
  result.contiguous = H5Pget_layout(creation) == H5D_CONTIGUOUS;
  EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.values.data()), 0);
  H5Pclose(creation);
  H5Tclose(stored);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return result;
}

/// Where the values of a contiguous data set begin.
inline std::uint64_t plain_place(const std::string& path, const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const std::uint64_t place = H5Dget_offset(dataset);
  H5Dclose(dataset);
  H5Fclose(file);
  return place;
}

/// A text that is attached to a file.
inline std::string plain_text_attribute(const std::string& path, const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t attribute = H5Aopen(file, name.c_str(), H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute);
  char* text = nullptr;
  EXPECT_GE(H5Aread(attribute, type, &text), 0) << name;
  const std::string result = text == nullptr ? "" : text;
  H5free_memory(text);
  H5Tclose(type);
  H5Aclose(attribute);
  H5Fclose(file);
  return result;
}

/// The numbers that are attached to a data set; none when there is no such attribute.
inline std::vector<std::int64_t> plain_list_attribute(const std::string& path, const std::string& dataset,
                                                      const std::string& name) {
  std::vector<std::int64_t> values;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t object = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  if (H5Aexists(object, name.c_str()) > 0) {
    const hid_t attribute = H5Aopen(object, name.c_str(), H5P_DEFAULT);
    const hid_t space = H5Aget_space(attribute);
    values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Aread(attribute, H5T_NATIVE_INT64, values.data()), 0) << name;
    H5Sclose(space);
    H5Aclose(attribute);
  }
  H5Dclose(object);
  H5Fclose(file);
  return values;
}

/// A number that is attached to a file.
template <class T>
T plain_number_attribute(const std::string& path, const std::string& name, hid_t type) {
  T number{};
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t attribute = H5Aopen(file, name.c_str(), H5P_DEFAULT);
  EXPECT_GE(H5Aread(attribute, type, &number), 0) << name;
  H5Aclose(attribute);
  H5Fclose(file);
  return number;
}

}  // namespace tessera::io_test
