// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

struct ImageChoice;
struct ImageInfo;

/// The formats of image files, each with a row in the table formats(). `raw`, which holds only numbers,
/// without a description of their type and shape, stays the last.
enum class ImageFormat : std::uint8_t { png, hdf5, tiff, jpeg, fits, rle, flo, ome_tiff, raw };

/// The functions for files of a format. A function is null if Tessera cannot do this, and all are null
/// in a build without the library of the format.
struct FormatFunctions {
  /// Returns a description of the image in the file, in which `format` need not be set. Not collective.
  /// Throws InputError when the file is damaged.
  ImageInfo (*inspect)(const std::string& path, const ImageChoice& choice) = nullptr;
  /// Returns a source of the image, as open_image does.
  std::unique_ptr<BlockSource> (*open)(MPI_Comm communicator, const std::string& path,
                                       const ImageInfo& info) = nullptr;
  /// Creates a file for an array that the row of the table allows, and returns its sink, as create_image
  /// does.
  std::unique_ptr<BlockSink> (*create)(MPI_Comm communicator, const std::string& path, const Box& domain,
                                       ElementType type, int threads) = nullptr;
};

/// The special traits of a format of image files.
struct FormatTraits {
  /// True if messages list the format among those that can be read.
  bool is_listed = false;
  /// True if a file may hold several images, and ImageChoice::dataset chooses one.
  bool has_datasets = false;
  /// True if a file may hold several images, and ImageChoice::page chooses one.
  bool has_pages = false;
  /// True if only one thread at a time may read and write such files, as the library is not made for several.
  bool needs_one_thread = false;
};

/// A format of image files: a row of the table that formats() returns.
struct Format {
  /// The format.
  ImageFormat id = ImageFormat::raw;
  /// The name of the format in messages.
  std::string_view name = {};
  /// The library that the format needs, as in the name of the CMake option TESSERA_<library>; empty if the
  /// format needs none.
  std::string_view library = {};
  /// The last word of the deck's key for a result in this format, as in `output.png`; empty if no program has
  /// such a key.
  std::string_view output = {};
  /// The text of `--help` about this key; empty means that the result is written, as the format of this name.
  std::string_view help = {};
  /// The endings of file names, in lower case. Messages propose the first one.
  std::vector<std::string_view> endings = {};
  /// The bytes with which files begin: those of one of the signatures.
  std::vector<std::string_view> signatures = {};
  /// Returns whether an open file has this format; null if the signatures are enough.
  bool (*is_in)(std::FILE* file) = nullptr;
  /// The types of elements with which files are written; all types if it is empty.
  std::vector<ElementType> types = {};
  /// The numbers of channels with which files are written. If it is empty, files hold arrays of any
  /// dimensions.
  std::vector<std::int64_t> channels = {};
  /// The functions that read and write the files, which are defined in the folder io/formats.
  FormatFunctions functions = {};
  /// The traits that callers have to know.
  FormatTraits traits = {};

  /// Returns whether this Tessera was built with the library of the format.
  bool is_built() const {
    return functions.inspect != nullptr || functions.open != nullptr || functions.create != nullptr;
  }
  /// Returns whether files are written with elements of this type.
  bool holds(ElementType type) const;
  /// Returns whether files are written with arrays of these points.
  bool holds(const Box& domain) const;
};

/// Returns the table of all formats, which is always in the same order.
const std::vector<Format>& formats();

/// Returns the row of the table for a format.
const Format& format_of(ImageFormat id);

/// Returns the names of the formats that are listed among those that can be read, such as "HDF5, PNG or TIFF"
/// with `or` as the last word.
std::string readable_formats(const std::string& last_word);

/// Returns one line of text, without a line feed, that lists the formats that need a library: first those
/// that this build of Tessera supports, then, after "without", those that it does not support. An example is
/// "formats: HDF5 1.10.8, PNG, TIFF, JPEG, VIDEO, without FITS".
std::string formats_text();

/// Returns the version of HDF5 that Tessera was compiled with, such as "1.10.8", or "none" when Tessera was
/// built without HDF5. Any thread may call it at any time. HDF5 itself refuses to work as a library of
/// another version.
std::string hdf5_version();

/// The description of one array in a file that may hold several arrays, such as a data set of an HDF5 file.
struct FileArray {
  /// The name of the array.
  std::string name;
  /// The type of the elements.
  ElementType type = ElementType::uint8;
  /// All points of the array, x first.
  Box domain;
};

}  // namespace tessera::io
