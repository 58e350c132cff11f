// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/hdf5_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <utility>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/sinks.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

/// The most bytes that a chunk needs besides its points: for its entry in HDF5's index of chunks, and for
/// what DEFLATE adds.
constexpr std::int64_t bytes_about_a_chunk = 128;

/// Returns the points of a chunk, from 0 on, whose extents are at most those of the array. Throws InputError
/// about `path` when a chunk has 4 GiB or more, which HDF5 does not support.
Box chunk_of(const FileArray& array, const Hdf5Storage& storage, const std::string& path) {
  Box chunk = array.domain;
  double bytes = static_cast<double>(size_of(array.type));
  for (int d = 0; d < chunk.dimensions; ++d) {
    chunk[d] = {0, storage.chunk_points(d, array.domain[d].size())};
    bytes *= static_cast<double>(chunk[d].size());
  }
  if (bytes >= 0x1p32)
    fail(path, fmt::format("chunks of '{}' of {:.0f} bytes", array.name, bytes),
         "HDF5 has none of 4 GiB or more: choose smaller ones");
  return chunk;
}

std::int64_t plain_bytes(const FileArray& array) {
  return array.domain.size() * static_cast<std::int64_t>(size_of(array.type));
}

/// Returns the most bytes that an array needs in chunks, including HDF5's index of its chunks.
std::int64_t bytes_in_chunks(const FileArray& array, const Hdf5Storage& storage, const std::string& path) {
  const Box chunk = chunk_of(array, storage, path);
  const std::int64_t bytes = chunk.size() * static_cast<std::int64_t>(size_of(array.type));
  std::int64_t chunks = 1;
  for (int d = 0; d < chunk.dimensions; ++d) chunks *= (array.domain[d].size() - 1) / chunk[d].size() + 1;
  // Chunks that extend beyond the array are stored completely. Chunks that DEFLATE cannot compress grow a
  // little.
  return chunks * (bytes + bytes / 256 + bytes_about_a_chunk);
}

/// Returns the properties of a new data set.
Hdf5Id dataset_properties(const FileArray& array, const Hdf5Storage& storage, const std::string& path) {
  Hdf5Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(properties, false);  // so that equal arrays give equal files
  if (storage.has_chunks())
    H5Pset_chunk(properties, array.domain.dimensions, extents_of(chunk_of(array, storage, path)).data());
  else
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);  // so that its place is known
  if (storage.compression > 0) {
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, static_cast<unsigned>(storage.compression));
  }
  return properties;
}

/// Creates a data set. All ranks that have opened the file must make this call with the same arguments.
/// Throws InputError about `path`.
Hdf5Id create_dataset(hid_t file, const std::string& path, const FileArray& array,
                      const Hdf5Storage& storage) {
  const int dimensions = array.domain.dimensions;
  const Hdf5Id space(H5Screate_simple(dimensions, extents_of(array.domain).data(), nullptr), H5Sclose);
  const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Hdf5Id properties = dataset_properties(array, storage, path);
  Hdf5Id dataset(
      H5Dcreate2(file, array.name.c_str(), memory_type(array.type), space, links, properties, H5P_DEFAULT),
      H5Dclose);
  if (!dataset.valid())
    fail_with_hdf5(path, fmt::format("data set '{}' cannot be created", array.name), "choose another name");
  std::vector<std::int64_t> origin;  // slowest dimension first
  for (int d = dimensions - 1; d >= 0; --d) origin.push_back(array.domain[d].begin);
  if (std::ranges::any_of(origin, [](std::int64_t begin) { return begin != 0; }))
    write_attribute(dataset, path, {"origin", origin});
  return dataset;
}

/// The function that ends the job.
EndJob end_of_job;
/// The paths of the files that are open through MPI-IO.
std::map<MPI_File, std::string> paths_of_open_files;

/// MPI calls this function when a call of HDF5 fails, before HDF5 knows. Afterwards HDF5 would wait forever
/// for other ranks when it closes the file, or crash at the end of MPI.
void end_on_failure(MPI_File* file, int* code, ...) {
  const auto found = paths_of_open_files.find(*file);
  if (found == paths_of_open_files.end() || !end_of_job) return;
  char text[MPI_MAX_ERROR_STRING];
  int size = 0;
  MPI_Error_string(*code, text, &size);
  try {
    fail_to_write(found->second, std::string(text, static_cast<std::size_t>(size)));
  } catch (const InputError& error) {
    end_of_job(StrandedError(error.what()));
  }
}

/// Has MPI call end_on_failure when a call for this file fails. Returns MPI's handle of the file.
MPI_File watch(hid_t file, const std::string& path) {
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) return MPI_FILE_NULL;
  const MPI_File opened = *static_cast<MPI_File*>(handle);
  paths_of_open_files[opened] = path;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_File_create_errhandler(end_on_failure, &handler);
  MPI_File_set_errhandler(opened, handler);
  MPI_Errhandler_free(&handler);
  return opened;
}

/// Creates the HDF5 file, through MPI-IO. Throws InputError.
hid_t create_in_parallel(MPI_Comm communicator, const UnfinishedFile& output) {
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (H5Pset_fapl_mpio(access, communicator, MPI_INFO_NULL) < 0)
    throw InternalError("HDF5 refuses the communicator");
  // In the format of older versions of HDF5, the ranks may disagree about the index of many chunks.
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
  // MPI-IO takes the text before a colon for a kind of file system.
  const std::string& name = output.temporary_path();
  const std::string prefix = name.find(':') == std::string::npos ? "" : "ufs:";
  const hid_t file = H5Fcreate((prefix + name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (file < 0)
    fail_with_hdf5(output.path(), "cannot be written",
                   "create its folder, or choose another that can be written");
  return file;
}

/// Creates a file with a new name, which replaces the letters X at the end of `name`. Returns null where this
/// is impossible, or where there is at present too little room for what HDF5 writes besides arrays; errno
/// says why.
File scratch_file(std::string& name) {
  const int number = ::mkostemp(name.data(), O_CLOEXEC);
  if (number < 0) return nullptr;
  const int error = ::posix_fallocate(number, 0, bytes_besides_arrays);
  if (File file(error == 0 ? ::fdopen(number, "rb") : nullptr); file) return file;
  ::unlink(name.c_str());
  ::close(number);
  errno = error == 0 ? ENOMEM : error;
  return nullptr;
}

/// HDF5 closes a file on all ranks together. Therefore only `close` does so: what an error leaves open, HDF5
/// closes at the end of MPI.
class ChunkedHdf5File final : public Hdf5File {
 public:
  ChunkedHdf5File(MPI_Comm communicator, const UnfinishedFile& output, std::int64_t bytes)
      : communicator_(communicator), output_(output) {
    const QuietHdf5 quiet;
    make_room(bytes);
    collectively(communicator_, [&] {
      hdf5_ = create_in_parallel(communicator_, output_);
      watched_ = watch(hdf5_, output_.path());
    });
    make_room(bytes);  // again, because HDF5 has emptied the file
  }

  std::size_t add(const FileArray& array, const Hdf5Storage& storage) override {
    const QuietHdf5 quiet;
    hid_t dataset = -1;
    call_together(communicator_,
                  [&] { dataset = create_dataset(hdf5_, output_.path(), array, storage).release(); });
    datasets_.push_back(dataset);
    domains_.push_back(array.domain);
    return datasets_.size() - 1;
  }

  void write(std::size_t array, const HostBlock& block) override {
    const QuietHdf5 quiet;
    write_block(communicator_, datasets_[array], block, domains_[array], output_.path());
  }

  void close(const std::vector<FileAttribute>& attributes) override {
    const QuietHdf5 quiet;
    const std::string& path = output_.path();
    call_together(communicator_, [&] {
      for (const FileAttribute& attribute : attributes) write_attribute(hdf5_, path, attribute);
      for (const hid_t dataset : datasets_)
        if (H5Dclose(dataset) < 0) fail_to_write_hdf5(path);
      if (H5Fclose(hdf5_) < 0) fail_to_write_hdf5(path);
    });
    paths_of_open_files.erase(watched_);
    // Compressed arrays may need less space than was reserved.
    on_rank_0(communicator_, [&] { set_size(output_, file_bytes(output_.temporary_path())); });
  }

 private:
  void make_room(std::int64_t bytes) const {
    on_rank_0(communicator_, [&] { reserve(output_, bytes); });
  }

  MPI_Comm communicator_;
  const UnfinishedFile& output_;
  hid_t hdf5_ = -1;
  MPI_File watched_ = MPI_FILE_NULL;
  std::vector<hid_t> datasets_;
  std::vector<Box> domains_;
};

}  // namespace

std::int64_t most_stored_bytes(const std::vector<FileArray>& arrays, const Hdf5Storage& storage,
                               const std::string& path) {
  std::int64_t bytes = bytes_besides_arrays;
  for (const FileArray& array : arrays)
    bytes += storage.has_chunks() ? bytes_in_chunks(array, storage, path) : plain_bytes(array);
  return bytes;
}

PlainHdf5File::PlainHdf5File(MPI_Comm communicator, const UnfinishedFile& output, std::int64_t bytes,
                             std::int64_t user_block_bytes)
    : communicator_(communicator), output_(output) {
  on_rank_0(communicator_, [&] {
    reserve(output_, bytes);
    set_size(output_, bytes);  // because of NFS, as in PlainWriter
    create_in_memory(user_block_bytes);
  });
  collectively(communicator_, [&] { writer_.emplace(output_); });
}

void PlainHdf5File::create_in_memory(std::int64_t user_block_bytes) {
  const QuietHdf5 quiet;
  // HDF5 refuses memfd_create's files, which have no name. The folder of the output replaces /dev/shm, which
  // containers may lack, or where they may have too little room.
  std::string name = "/dev/shm/tessera-hdf5-XXXXXX";
  memory_ = scratch_file(name);
  if (!memory_) memory_ = scratch_file(name = output_.temporary_path() + "-XXXXXX");
  if (!memory_) fail_to_write(output_.path(), fmt::format("{}: {}", name, error_text(errno)));
  const Hdf5Id creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_userblock(creation, static_cast<hsize_t>(user_block_bytes));
  hdf5_ = Hdf5Id(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT), H5Fclose);
  ::unlink(name.c_str());
  if (!hdf5_.valid()) fail_to_write_hdf5(output_.path());
}

std::size_t PlainHdf5File::add(const FileArray& array, const Hdf5Storage& storage) {
  std::int64_t place = 0;
  on_rank_0(communicator_, [&] {
    const QuietHdf5 quiet;
    const Hdf5Id dataset = create_dataset(hdf5_, output_.path(), array, storage);
    if (array.domain.empty()) return;  // HDF5 gives it no place
    const haddr_t offset = H5Dget_offset(dataset);
    if (offset == HADDR_UNDEF) fail_to_write_hdf5(output_.path());
    place = static_cast<std::int64_t>(offset);
  });
  arrays_.push_back({array.domain, from_rank_0(communicator_, place), plain_bytes(array)});
  return arrays_.size() - 1;
}

void PlainHdf5File::write(std::size_t array, const HostBlock& block) {
  const PlacedArray& placed = arrays_[array];
  collectively(communicator_, [&] { write_points(*writer_, placed.place, placed.domain, block); });
}

void PlainHdf5File::close(const std::vector<FileAttribute>& attributes) {
  collectively(communicator_, [&] {
    if (rank_in(communicator_) == 0) {
      const QuietHdf5 quiet;
      for (const FileAttribute& attribute : attributes) write_attribute(hdf5_, output_.path(), attribute);
      if (!hdf5_.close()) fail_to_write_hdf5(output_.path());
      copy_from_memory();
    }
    writer_->close();
  });
}

/// Copies all bytes that do not belong to an array.
void PlainHdf5File::copy_from_memory() const {
  const int memory = ::fileno(memory_.get());
  const std::int64_t size = ::lseek(memory, 0, SEEK_END);
  if (size < 0) fail_to_write(output_.path(), error_text(errno));
  std::vector<PlacedArray> arrays = arrays_;
  std::erase_if(arrays, [](const PlacedArray& array) { return array.bytes == 0; });
  std::ranges::sort(arrays, {}, &PlacedArray::place);
  arrays.push_back({{}, size, 0});
  std::int64_t begin = 0;
  std::vector<std::byte> bytes;
  for (const PlacedArray& array : arrays) {
    bytes.resize(static_cast<std::size_t>(array.place - begin));
    const std::int64_t read = ::pread(memory, bytes.data(), bytes.size(), begin);
    if (read != array.place - begin)
      fail_to_write(output_.path(), read < 0 ? error_text(errno) : "HDF5's own data ends early");
    writer_->write(bytes.data(), array.place - begin, begin);
    begin = array.place + array.bytes;
  }
  set_size(output_, size);
}

std::unique_ptr<Hdf5File> create_hdf5_file(MPI_Comm communicator, const UnfinishedFile& output,
                                           std::int64_t bytes, const Hdf5Storage& storage) {
  if (!storage.has_chunks()) return std::make_unique<PlainHdf5File>(communicator, output, bytes);
  return std::make_unique<ChunkedHdf5File>(communicator, output, bytes);
}

}  // namespace tessera::io::detail

namespace tessera::io {

void set_end_of_job(EndJob end) {
  H5dont_atexit();  // HDF5 would close files, and wait for other ranks, when MPI_Abort leaves the process
  detail::end_of_job = std::move(end);
}

}  // namespace tessera::io
