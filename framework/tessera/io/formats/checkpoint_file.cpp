// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/checkpoint_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/checkpoint_seal.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/hdf5.hpp"
#include "tessera/io/detail/sinks.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace {

using namespace detail;

constexpr const char* residuals_name = "history/residual";

/// Returns a table with one line for each array: its element type, its number of dimensions, the range of
/// each dimension, and its name.
std::string table_of(const std::vector<FileArray>& arrays) {
  std::string text;
  for (const FileArray& array : arrays) {
    fmt::format_to(std::back_inserter(text), "{} {}", name_of(array.type), array.domain.dimensions);
    for (int d = 0; d < array.domain.dimensions; ++d)
      fmt::format_to(std::back_inserter(text), " {} {}", array.domain[d].begin, array.domain[d].end);
    fmt::format_to(std::back_inserter(text), " {}\n", array.name);
  }
  return text;
}

std::vector<FileArray> arrays_in(const std::string& table) {
  std::vector<FileArray> arrays;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    FileArray array;
    std::string type;
    words >> type >> array.domain.dimensions;
    for (int d = 0; d < std::min(array.domain.dimensions, max_dimensions); ++d)
      words >> array.domain[d].begin >> array.domain[d].end;
    words >> array.name;
    for (int one = 0; one < element_type_count; ++one)
      if (name_of(static_cast<ElementType>(one)) == type) array.type = static_cast<ElementType>(one);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::uint64_t sum_over_ranks(MPI_Comm communicator, std::uint64_t sum) {
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, communicator);
  return sum;
}

}  // namespace

class CheckpointWriter::Content {
 public:
  Content(MPI_Comm communicator, const std::string& path, std::int64_t bytes)
      : communicator_(communicator), file_(communicator, path), bytes_(bytes) {}

  void write(const FileArray& array, const HostBlock& block) {
    const QuietHdf5 quiet;
    open();
    Hdf5Id dataset;
    Parts(communicator_, file_.path(), array.domain, array.type).take(block, array.domain);
    call_together(communicator_, [&] { dataset = create_dataset(hdf5_, file_.path(), array); });
    transfer(communicator_, dataset, Direction::write, block, array.domain, file_.path());
    arrays_.push_back(array);
    sealed_.push_back({static_cast<std::int64_t>(H5Dget_offset(dataset)), array.domain.size(),
                       static_cast<std::int64_t>(size_of(array.type)),
                       sum_over_ranks(communicator_, digest(block, array.domain))});
  }

  void complete(const CheckpointNotes& notes, std::vector<double> residuals) {
    const QuietHdf5 quiet;
    open();
    write_residuals(residuals);
    const std::vector<FileAttribute> attributes = {
        {"program", notes.program},   {"version", notes.version},   {"deck", notes.deck},
        {"problem", notes.problem},   {"loop", notes.loop},         {"turns", notes.turns},
        {"residual", notes.residual}, {"arrays", table_of(arrays_)}};
    call_together(communicator_, [&] {
      for (const FileAttribute& attribute : attributes) write_attribute(hdf5_, file_.path(), attribute);
    });
    write_together(communicator_, [&] {
      // Every rank flushes the file, because rank 0 may wait below only for data that rank 0 has written.
      const bool flushed = H5Fflush(hdf5_, H5F_SCOPE_GLOBAL) >= 0;
      if (!hdf5_.close() || !flushed) fail_to_write_hdf5(file_.path());
    });
    collectively(communicator_, [&] {
      if (rank_of(communicator_) != 0) return;
      release_reserve(file_);
      write_seal(file_, sealed_);
    });
    file_.complete_on_disk();
  }

 private:
  /// Creates the HDF5 file unless that has been done. This function is called only when there is something to
  /// write, because HDF5 may be unable to close a file on a full disk.
  void open() {
    if (!hdf5_.valid())
      hdf5_ = create_in_parallel(communicator_, file_,
                                 {.bytes = bytes_ + seal_bytes, .user_block_bytes = seal_bytes});
  }

  /// Writes the residuals of rank 0. The residuals of the other ranks are ignored.
  void write_residuals(std::vector<double>& residuals) {
    auto count = static_cast<std::int64_t>(residuals.size());
    MPI_Bcast(&count, 1, MPI_INT64_T, 0, communicator_);
    if (count == 0) return;
    const FileArray array{residuals_name, ElementType::float64, Box{{0, count}}};
    HostBlock block{reinterpret_cast<std::byte*>(residuals.data()), array.type, array.domain, {1}};
    if (rank_of(communicator_) != 0) block.box[0].end = 0;
    write(array, block);
  }

  MPI_Comm communicator_;
  UnfinishedFile file_;  // declared before hdf5_, so that hdf5_ is closed before the file is removed
  std::int64_t bytes_;
  Hdf5Id hdf5_;
  std::vector<FileArray> arrays_;
  /// The places and digests of the arrays in `arrays_`, in the same order.
  std::vector<SealedArray> sealed_;
};

CheckpointWriter::CheckpointWriter(MPI_Comm communicator, const std::string& path, std::int64_t bytes)
    : content_(std::make_unique<Content>(communicator, path, bytes)) {}
CheckpointWriter::~CheckpointWriter() = default;

void CheckpointWriter::write(const FileArray& array, const HostBlock& block) {
  content_->write(array, block);
}

void CheckpointWriter::complete(const CheckpointNotes& notes, std::vector<double> residuals) {
  content_->complete(notes, std::move(residuals));
}

struct CheckpointReader::Content {
  MPI_Comm communicator;
  std::string path;
  Hdf5Id hdf5 = {};
  CheckpointNotes notes = {};
  std::vector<SealedArray> sealed = {};
  /// The arrays in the order of `sealed`, including the residuals.
  std::vector<FileArray> all = {};
  std::vector<FileArray> arrays = {};

  void read_notes() {
    notes = {read_text(hdf5, path, "program"),   read_text(hdf5, path, "version"),
             read_text(hdf5, path, "deck"),      read_text(hdf5, path, "problem"),
             read_text(hdf5, path, "loop"),      read_integer(hdf5, path, "turns"),
             read_number(hdf5, path, "residual")};
    all = arrays_in(read_text(hdf5, path, "arrays"));
    if (all.size() != sealed.size()) fail_as_damaged(path, "arrays are missing");
    for (const FileArray& array : all)
      if (array.name != residuals_name) arrays.push_back(array);
  }

  void read(const FileArray& array, const HostBlock& block) {
    const QuietHdf5 quiet;
    Hdf5Id dataset;
    collectively(communicator, [&] {
      dataset = open_dataset(hdf5, path, array.name);
      check_shape(dataset, array);
    });
    read_dataset(communicator, dataset, {array.type, array.domain}, block, path);
  }

  void check_shape(hid_t dataset, const FileArray& array) const {
    const Hdf5Id type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
    Extents extents{};
    const int dimensions = array.domain.dimensions;
    const bool fits = type.valid() && space.valid() && H5Tequal(type, memory_type(array.type)) > 0 &&
                      H5Sget_simple_extent_ndims(space) == dimensions &&
                      H5Sget_simple_extent_dims(space, extents.data(), nullptr) == dimensions &&
                      extents == extents_of(array.domain);
    if (!fits) fail_as_damaged(path, fmt::format("'{}' has another shape or type", array.name));
  }
};

CheckpointReader::CheckpointReader(MPI_Comm communicator, const std::string& path)
    : content_(new Content{communicator, path}) {
  const QuietHdf5 quiet;
  collectively(communicator, [&] {
    content_->sealed = read_seal(path);
    if (rank_of(communicator) == 0) check_sealed_rest(path, content_->sealed);
  });
  content_->hdf5 = open_in_parallel(communicator, path);
  collectively(communicator, [&] { content_->read_notes(); });
}

CheckpointReader::~CheckpointReader() = default;

const std::string& CheckpointReader::path() const { return content_->path; }
const CheckpointNotes& CheckpointReader::notes() const { return content_->notes; }
const std::vector<FileArray>& CheckpointReader::arrays() const { return content_->arrays; }

void CheckpointReader::verify() {
  const int ranks = ranks_of(content_->communicator), rank = rank_of(content_->communicator);
  for (std::size_t i = 0; i < content_->sealed.size(); ++i) {
    const SealedArray& sealed = content_->sealed[i];
    const std::int64_t first = sealed.points / ranks * rank;
    const std::int64_t end = rank + 1 == ranks ? sealed.points : first + sealed.points / ranks;
    std::uint64_t sum = 0;
    collectively(content_->communicator, [&] { sum = digest_in_file(path(), sealed, first, end - first); });
    if (sum_over_ranks(content_->communicator, sum) != sealed.digest)
      fail_as_damaged(
          path(), fmt::format("the values of '{}' are not those that were written", content_->all[i].name));
  }
}

std::vector<double> CheckpointReader::residuals() {
  const auto found = std::ranges::find(content_->all, residuals_name, &FileArray::name);
  if (found == content_->all.end()) return {};
  std::vector<double> values(static_cast<std::size_t>(found->domain.size()));
  content_->read(*found,
                 {reinterpret_cast<std::byte*>(values.data()), ElementType::float64, found->domain, {1}});
  return values;
}

void CheckpointReader::read(const std::string& name, const HostBlock& block) {
  const auto found = std::ranges::find(arrays(), name, &FileArray::name);
  collectively(content_->communicator, [&] {
    if (found == arrays().end()) throw InternalError(fmt::format("{} has no array '{}'", path(), name));
    check_block(block, found->type, found->domain);
  });
  content_->read(*found, block);
}

}  // namespace tessera::io
