// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/hdf5_file.hpp"
#include "tessera/io/detail/sinks.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace detail {
namespace {

constexpr std::int64_t bytes_about_a_list = 4096;

/// An HDF5 file that several sinks write together.
class Hdf5Output {
 public:
  Hdf5Output(MPI_Comm communicator, const std::string& path, const std::vector<FileArray>& arrays,
             const Hdf5Storage& storage, std::function<FileNotes()> notes)
      : communicator_(communicator),
        unfinished_(static_cast<int>(arrays.size())),
        storage_(storage),
        notes_(std::move(notes)),
        file_(communicator, path),
        bytes_before_lists_(most_stored_bytes(arrays, storage, path)),
        hdf5_(create_hdf5_file(communicator, file_, bytes_before_lists_, storage)) {}

  Hdf5File& hdf5() { return *hdf5_; }
  const Hdf5Storage& storage() const { return storage_; }

  /// Is called once for each array, when it is complete. If this was the last array, completes the file.
  void finish_array() {
    if (--unfinished_ > 0) return;
    const FileNotes notes = notes_ ? notes_() : FileNotes();
    if (!notes.lists.empty()) make_room(notes.lists);
    for (const NumberList& list : notes.lists) write_list(list);
    hdf5_->close(notes.attributes);
    file_.complete();
  }

 private:
  /// Reserves space for `lists` behind the arrays. The arrays may take more space than expected: if a chunk
  /// is compressed twice, its first place in the file may remain unused.
  void make_room(const std::vector<NumberList>& lists) {
    std::int64_t bytes = 0;
    for (const NumberList& list : lists)
      bytes += list.count * static_cast<std::int64_t>(sizeof(double)) + bytes_about_a_list;
    on_rank_0(communicator_, [&] {
      reserve(file_, std::max(file_bytes(file_.temporary_path()), bytes_before_lists_) + bytes);
    });
  }

  /// Writes a list as a data set. Only rank 0 writes numbers; the other ranks take part with empty blocks.
  void write_list(const NumberList& list) {
    const FileArray array{list.name, ElementType::float64, Box{{0, list.count}}};
    std::vector<double> values = list.values;
    HostBlock block{reinterpret_cast<std::byte*>(values.data()), array.type, array.domain, {1}};
    if (rank_in(communicator_) != 0) block.box[0].end = 0;
    hdf5_->write(hdf5_->add(array), block);
  }

  MPI_Comm communicator_;
  int unfinished_;
  Hdf5Storage storage_;
  std::function<FileNotes()> notes_;
  UnfinishedFile file_;
  std::int64_t bytes_before_lists_;
  std::unique_ptr<Hdf5File> hdf5_;
};

class Hdf5Sink : public BlockSink {
 public:
  Hdf5Sink(MPI_Comm communicator, const std::string& path, const FileArray& array,
           std::shared_ptr<Hdf5Output> output)
      : output_(std::move(output)),
        parts_(communicator, path, array.domain, array.type),
        number_(output_->hdf5().add(array, output_->storage())) {}

  void write(const HostBlock& block) override { write_part(block, parts_.domain()); }

  void write_part(const HostBlock& block, const Box& part) override {
    parts_.take(block, part);
    output_->hdf5().write(number_, block);
    if (parts_.complete()) output_->finish_array();
  }

 private:
  std::shared_ptr<Hdf5Output> output_;
  Parts parts_;
  std::size_t number_;
};

/// Makes the file an HDF5 file with one contiguous data set, whose points are not written. Space on the disk
/// is reserved for all of them, if the file system supports this. Returns the place of the first point in the
/// file. Not collective. Throws InputError.
std::int64_t create_place(const UnfinishedFile& output, const FileArray& array) {
  PlainHdf5File hdf5(MPI_COMM_SELF, output, most_stored_bytes({array}, {}, output.path()));
  const std::int64_t place = hdf5.place(hdf5.add(array));
  hdf5.close({});
  return place;
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
    sinks.push_back(std::make_unique<detail::Hdf5Sink>(communicator, path, array, output));
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
