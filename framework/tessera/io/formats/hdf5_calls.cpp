// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/hdf5.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

/// The time for which a rank waits for the other ranks after its own call has failed. The other ranks may
/// still be reading or writing.
constexpr double patience_seconds = 5;

/// Ensures that no HDF5 file is closed any more, because this needs all ranks. Also removes the unfinished
/// files of this process, because rank 0 may wait in another call and never remove these files.
void abandon_files() {
  Hdf5Id::abandon_all();
  remove_unfinished_files();
}

/// Returns HDF5's type for texts of variable length. Texts of a fixed length would have to fit into the
/// header of an object, which has at most 64 KiB.
Hdf5Id text_type() {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

bool write_values(hid_t object, const std::string& name, hid_t type, const Hdf5Id& space, const void* value) {
  const Hdf5Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.valid() && H5Awrite(attribute, type, value) >= 0;
}

bool write_scalar(hid_t object, const std::string& name, hid_t type, const void* value) {
  return write_values(object, name, type, Hdf5Id(H5Screate(H5S_SCALAR), H5Sclose), value);
}

bool write_list(hid_t object, const std::string& name, const std::vector<std::int64_t>& values) {
  const hsize_t count = values.size();
  return write_values(object, name, H5T_NATIVE_INT64, Hdf5Id(H5Screate_simple(1, &count, nullptr), H5Sclose),
                      values.data());
}

/// Reads a scalar attribute. Throws InputError unless its type is in the same class of types as `type`, for
/// example the class of all integers.
void read_scalar(hid_t object, const std::string& path, const std::string& name, hid_t type, void* value) {
  const Hdf5Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Hdf5Id stored(H5Aget_type(attribute), H5Tclose);
  const Hdf5Id space(H5Aget_space(attribute), H5Sclose);
  const bool fits = attribute.valid() && stored.valid() && H5Tget_class(stored) == H5Tget_class(type) &&
                    H5Tis_variable_str(stored) == H5Tis_variable_str(type) &&
                    H5Sget_simple_extent_npoints(space) == 1;
  if (!fits || H5Aread(attribute, type, value) < 0)
    fail_with_hdf5(path, fmt::format("attribute '{}' cannot be read", name));
}

}  // namespace

void call_together(MPI_Comm communicator, const std::function<void()>& task) {
  try {
    collectively_within(communicator, patience_seconds, task);
  } catch (const InputError&) {
    throw;
  } catch (const AgreedInternalError&) {
    throw;
  } catch (...) {
    abandon_files();
    throw;
  }
}

void write_together(MPI_Comm communicator, const std::function<void()>& task) {
  try {
    call_together(communicator, task);
  } catch (const InputError& error) {
    if (ranks_of(communicator) == 1) throw;
    abandon_files();
    throw StrandedError(error.what());
  }
}

std::string read_text(hid_t object, const std::string& path, const std::string& name) {
  char* text = nullptr;
  read_scalar(object, path, name, text_type(), &text);
  const std::string copy = text == nullptr ? "" : text;
  H5free_memory(text);
  return copy;
}

std::int64_t read_integer(hid_t object, const std::string& path, const std::string& name) {
  std::int64_t value = 0;
  read_scalar(object, path, name, H5T_NATIVE_INT64, &value);
  return value;
}

double read_number(hid_t object, const std::string& path, const std::string& name) {
  double value = 0;
  read_scalar(object, path, name, H5T_NATIVE_DOUBLE, &value);
  return value;
}

void write_attribute(hid_t object, const std::string& path, const FileAttribute& attribute) {
  bool written = false;
  if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    const char* begin = text->c_str();
    written = write_scalar(object, attribute.name, text_type(), &begin);
  } else if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    written = write_scalar(object, attribute.name, H5T_NATIVE_INT64, integer);
  } else if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute.value)) {
    written = write_list(object, attribute.name, *list);
  } else {
    written = write_scalar(object, attribute.name, H5T_NATIVE_DOUBLE, &std::get<double>(attribute.value));
  }
  if (!written)
    fail_with_hdf5(path, fmt::format("attribute '{}' cannot be written", attribute.name),
                   "free some space, or choose another place");
}

}  // namespace tessera::io::detail
