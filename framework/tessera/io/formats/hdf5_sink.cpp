// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/hdf5.hpp"
#include "tessera/io/detail/sinks.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace detail {
namespace {

/// The most bytes that a chunk needs besides its points: for its entry in HDF5's index of chunks, and for
/// what DEFLATE adds.
constexpr std::int64_t bytes_about_a_chunk = 128;

/// Returns the extents of a chunk, which are at most those of the array. Throws InputError about `path` when
/// a chunk has 4 GiB or more, which HDF5 does not support.
Extents chunk_of(const FileArray& array, const Hdf5Storage& storage, const std::string& path) {
  const int dimensions = array.domain.dimensions;
  Extents chunk{};
  double bytes = static_cast<double>(size_of(array.type));
  for (int d = 0; d < dimensions; ++d) {
    chunk[slot_of(d, dimensions)] = static_cast<hsize_t>(storage.chunk_points(d, array.domain[d].size()));
    bytes *= static_cast<double>(chunk[slot_of(d, dimensions)]);
  }
  if (bytes >= 0x1p32)
    fail(path, fmt::format("chunks of '{}' of {:.0f} bytes", array.name, bytes),
         "HDF5 has none of 4 GiB or more: choose smaller ones");
  return chunk;
}

/// Returns the most bytes that an array needs in a file, including HDF5's index of its chunks. Throws
/// InputError about `path` when HDF5 does not support chunks of this size.
std::int64_t most_stored_bytes(const FileArray& array, const Hdf5Storage& storage, const std::string& path) {
  const auto element = static_cast<std::int64_t>(size_of(array.type));
  if (!storage.has_chunks()) return array.domain.size() * element;
  const int dimensions = array.domain.dimensions;
  const Extents chunk = chunk_of(array, storage, path);
  std::int64_t chunks = 1, points = 1;
  for (int d = 0; d < dimensions; ++d) {
    const auto extent = static_cast<std::int64_t>(chunk[slot_of(d, dimensions)]);
    chunks *= (array.domain[d].size() - 1) / extent + 1;
    points *= extent;
  }
  // Chunks that extend beyond the array are stored completely. Chunks that DEFLATE cannot compress grow a
  // little.
  return chunks * (points * element + points * element / 256 + bytes_about_a_chunk);
}

constexpr std::int64_t bytes_about_a_list = 4096;

/// An HDF5 file that several sinks write together.
class Hdf5Output {
 public:
  Hdf5Output(MPI_Comm communicator, const std::string& path, const std::vector<FileArray>& arrays,
             const Hdf5Storage& storage, std::function<FileNotes()> notes)
      : communicator_(communicator),
        unfinished_(static_cast<int>(arrays.size())),
        notes_(std::move(notes)),
        file_(communicator, path) {
    const QuietHdf5 quiet;
    std::int64_t bytes = 0;
    for (const FileArray& array : arrays) bytes += most_stored_bytes(array, storage, path);
    const NewHdf5 how{.bytes = bytes, .chunked = storage.has_chunks()};
    bytes_before_lists_ = how.all_bytes();
    hdf5_ = create_in_parallel(communicator_, file_, how);
  }

  Hdf5Id add(const FileArray& array, const Hdf5Storage& storage) {
    const QuietHdf5 quiet;
    Hdf5Id dataset;
    call_together(communicator_, [&] {
      dataset = create_dataset(hdf5_, path(), array, storage);
      std::vector<std::int64_t> origin;  // slowest dimension first
      for (int d = array.domain.dimensions - 1; d >= 0; --d) origin.push_back(array.domain[d].begin);
      if (std::ranges::any_of(origin, [](std::int64_t begin) { return begin != 0; }))
        write_attribute(dataset, path(), {"origin", origin});
    });
    return dataset;
  }

  /// Closes the data set of an array that is complete. If this was the last array, completes the file.
  void close(Hdf5Id& dataset) {
    const bool is_last = --unfinished_ == 0;
    if (is_last && notes_) write_notes(notes_());
    write_together(communicator_, [&] {
      const bool closed = dataset.close();
      if ((is_last && !hdf5_.close()) || !closed) fail_to_write_hdf5(path());
    });
    if (!is_last) return;
    // Compressed arrays may need less space than was reserved.
    collectively(communicator_, [&] {
      if (rank_of(communicator_) == 0) release_reserve(file_);
    });
    file_.complete();
  }

  MPI_Comm communicator() const { return communicator_; }
  const std::string& path() const { return file_.path(); }

 private:
  void write_notes(const FileNotes& notes) {
    if (!notes.lists.empty()) make_room(notes.lists);
    for (const NumberList& list : notes.lists) write_list(list);
    call_together(communicator_, [&] {
      for (const FileAttribute& attribute : notes.attributes) write_attribute(hdf5_, path(), attribute);
    });
  }

  /// Reserves space for `lists` behind the arrays. The arrays may take more space than expected: if a chunk
  /// is compressed twice, its first place in the file may remain unused.
  void make_room(const std::vector<NumberList>& lists) {
    std::int64_t bytes = 0;
    for (const NumberList& list : lists)
      bytes += list.count * static_cast<std::int64_t>(sizeof(double)) + bytes_about_a_list;
    collectively(communicator_, [&] {
      if (rank_of(communicator_) != 0) return;
      reserve(file_, std::max(file_bytes(file_.temporary_path()), bytes_before_lists_) + bytes);
    });
  }

  /// Writes a list as a data set. Only rank 0 writes numbers; the other ranks take part with empty blocks.
  void write_list(const NumberList& list) {
    const Box all{{0, list.count}};
    const Hdf5Id dataset = add({list.name, ElementType::float64, all}, {});
    std::vector<double> values = list.values;
    HostBlock block{reinterpret_cast<std::byte*>(values.data()), ElementType::float64, all, {1}};
    if (rank_of(communicator_) != 0) block.box[0].end = 0;
    write_block(communicator_, dataset, block, all, path());
  }

  MPI_Comm communicator_;
  int unfinished_;
  std::int64_t bytes_before_lists_ = 0;
  std::function<FileNotes()> notes_;
  UnfinishedFile file_;  // declared before `hdf5_`, so that `hdf5_` is closed first
  Hdf5Id hdf5_;
};

class Hdf5Sink : public BlockSink {
 public:
  Hdf5Sink(std::shared_ptr<Hdf5Output> output, const FileArray& array, const Hdf5Storage& storage)
      : output_(std::move(output)),
        parts_(output_->communicator(), output_->path(), array.domain, array.type),
        dataset_(output_->add(array, storage)) {}

  void write(const HostBlock& block) override { write_part(block, parts_.domain()); }

  void write_part(const HostBlock& block, const Box& part) override {
    const QuietHdf5 quiet;
    parts_.take(block, part);
    write_block(parts_.communicator(), dataset_, block, parts_.domain(), parts_.path());
    if (parts_.complete()) output_->close(dataset_);
  }

 private:
  std::shared_ptr<Hdf5Output> output_;
  Parts parts_;
  Hdf5Id dataset_;
};

/// Makes the file an HDF5 file with one contiguous data set, whose points are not written. Space on the disk
/// is reserved for all of them, if the file system supports this. Returns the place of the first point in the
/// file. Not collective. Throws InputError.
std::int64_t create_place(const UnfinishedFile& output, const FileArray& array) {
  const QuietHdf5 quiet;
  const std::string& path = output.path();
  const NewHdf5 how{.bytes = most_stored_bytes(array, {}, path)};
  // Parallel HDF5 gives a contiguous data set its place as soon as it is created.
  Hdf5Id file = create_in_parallel(MPI_COMM_SELF, output, how);
  Hdf5Id dataset = create_dataset(file, path, array, {});
  const haddr_t place = H5Dget_offset(dataset);
  const bool is_closed = dataset.close() && file.close();
  if (place == HADDR_UNDEF || !is_closed) fail_to_write_hdf5(path);
  return static_cast<std::int64_t>(place);
}

/// Returns the place of the first point in a file that create_place has made. Throws InputError.
std::int64_t place_in(const UnfinishedFile& begun, const std::string& dataset) {
  const QuietHdf5 quiet;
  const Hdf5Id file = open_alone(begun.temporary_path());
  const Hdf5Id opened(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const haddr_t place = H5Dget_offset(opened);
  if (place == HADDR_UNDEF) fail_to_write_hdf5(begun.path());
  return static_cast<std::int64_t>(place);
}

}  // namespace

Hdf5Id create_dataset(hid_t file, const std::string& path, const FileArray& array,
                      const Hdf5Storage& storage) {
  const int dimensions = array.domain.dimensions;
  const Hdf5Id space(H5Screate_simple(dimensions, extents_of(array.domain).data(), nullptr), H5Sclose);
  const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(creation, false);  // so that equal arrays give equal files
  if (storage.has_chunks()) H5Pset_chunk(creation, dimensions, chunk_of(array, storage, path).data());
  if (storage.compression > 0) {
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, static_cast<unsigned>(storage.compression));
  }
  Hdf5Id dataset(
      H5Dcreate2(file, array.name.c_str(), memory_type(array.type), space, links, creation, H5P_DEFAULT),
      H5Dclose);
  if (!dataset.valid())
    fail_with_hdf5(path, fmt::format("data set '{}' cannot be created", array.name), "choose another name");
  return dataset;
}

}  // namespace detail

std::vector<std::unique_ptr<BlockSink>> create_hdf5(MPI_Comm communicator, const std::string& path,
                                                    const std::vector<FileArray>& arrays,
                                                    const Hdf5Storage& storage,
                                                    std::function<FileNotes()> notes) {
  for (const FileArray& array : arrays)
    if (array.domain.empty()) throw InternalError(fmt::format("{}: nothing to write", path));
  const auto output =
      std::make_shared<detail::Hdf5Output>(communicator, path, arrays, storage, std::move(notes));
  std::vector<std::unique_ptr<BlockSink>> sinks;
  for (const FileArray& array : arrays)
    sinks.push_back(std::make_unique<detail::Hdf5Sink>(output, array, storage));
  return sinks;
}

std::unique_ptr<BlockWriter> create_hdf5_blocks(MPI_Comm communicator, const std::string& path,
                                                const std::string& dataset, const Box& domain,
                                                ElementType type, const BegunFile& begun) {
  return detail::create_plain_blocks(
      communicator, path, domain, type,
      [&](const detail::UnfinishedFile& file) {
        return begun.process == 0 ? detail::create_place(file, {dataset, type, domain})
                                  : detail::place_in(file, dataset);
      },
      begun);
}

}  // namespace tessera::io
