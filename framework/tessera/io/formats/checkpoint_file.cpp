// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/checkpoint_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/checkpoint_seal.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/hdf5_file.hpp"
#include "tessera/io/detail/sinks.hpp"
#include "tessera/io/detail/sources.hpp"
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

class Hdf5CheckpointWriter final : public CheckpointWriter {
 public:
  Hdf5CheckpointWriter(MPI_Comm communicator, const std::string& path, std::int64_t bytes)
      : communicator_(communicator), file_(communicator, path), bytes_(bytes) {}

  void write(const FileArray& array, const HostBlock& block) override {
    open();
    Parts(communicator_, file_.path(), array.domain, array.type).take(block, array.domain);
    const std::size_t number = hdf5_->add(array);
    hdf5_->write(number, block);
    arrays_.push_back(array);
    sealed_.push_back({hdf5_->place(number), array.domain.size(),
                       static_cast<std::int64_t>(size_of(array.type)),
                       sum_over_ranks(communicator_, digest(block, array.domain))});
  }

  void complete(const CheckpointNotes& notes, std::vector<double> residuals) override {
    open();
    write_residuals(residuals);
    hdf5_->close({{"program", notes.program},
                  {"version", notes.version},
                  {"deck", notes.deck},
                  {"problem", notes.problem},
                  {"loop", notes.loop},
                  {"turns", notes.turns},
                  {"residual", notes.residual},
                  {"arrays", table_of(arrays_)}});
    on_rank_0(communicator_, [&] { write_seal(file_, sealed_); });
    file_.complete(true);
  }

 private:
  /// Creates the HDF5 file unless that has been done: not before there is something to write.
  void open() {
    if (!hdf5_) hdf5_.emplace(communicator_, file_, bytes_ + bytes_besides_arrays + seal_bytes, seal_bytes);
  }

  /// Writes the residuals of rank 0. The residuals of the other ranks are ignored.
  void write_residuals(std::vector<double>& residuals) {
    const std::int64_t count = from_rank_0(communicator_, static_cast<std::int64_t>(residuals.size()));
    if (count == 0) return;
    const FileArray array{residuals_name, ElementType::float64, Box{{0, count}}};
    HostBlock block{reinterpret_cast<std::byte*>(residuals.data()), array.type, array.domain, {1}};
    if (rank_in(communicator_) != 0) block.box[0].end = 0;
    write(array, block);
  }

  MPI_Comm communicator_;
  UnfinishedFile file_;
  std::int64_t bytes_;
  std::optional<PlainHdf5File> hdf5_;
  std::vector<FileArray> arrays_;
  /// The places and digests of the arrays in `arrays_`, in the same order.
  std::vector<SealedArray> sealed_;
};

}  // namespace

std::unique_ptr<CheckpointWriter> create_checkpoint(MPI_Comm communicator, const std::string& path,
                                                    std::int64_t bytes) {
  return std::make_unique<Hdf5CheckpointWriter>(communicator, path, bytes);
}

CheckpointReader::CheckpointReader(MPI_Comm communicator, const std::string& path)
    : communicator_(communicator), path_(path) {
  collectively(communicator, [&] { sealed_ = read_seal(path, rank_in(communicator) == 0); });
  // Only now: HDF5 is not made for damaged files.
  collectively(communicator, [&] { read_notes(); });
}

CheckpointReader::~CheckpointReader() = default;

void CheckpointReader::read_notes() {
  const QuietHdf5 quiet;
  const Hdf5Id hdf5 = open_alone(path_);
  notes_ = {read_text(hdf5, path_, "program"), read_text(hdf5, path_, "version"),
            read_text(hdf5, path_, "deck"), read_text(hdf5, path_, "problem"),
            read_text(hdf5, path_, "loop")};
  read_scalar(hdf5, path_, "turns", H5T_NATIVE_INT64, &notes_.turns);
  read_scalar(hdf5, path_, "residual", H5T_NATIVE_DOUBLE, &notes_.residual);
  all_ = arrays_in(read_text(hdf5, path_, "arrays"));
  const auto fits = [](const FileArray& array, const SealedArray& place) {
    return array.domain.size() == place.points &&
           size_of(array.type) == static_cast<std::size_t>(place.element_bytes);
  };
  if (!std::ranges::equal(all_, sealed_, fits))
    fail_as_damaged(path_, "its arrays are not those of its seal");
  std::ranges::copy_if(all_, std::back_inserter(arrays_),
                       [](const FileArray& array) { return array.name != residuals_name; });
}

void CheckpointReader::verify() {
  const int ranks = ranks_of(communicator_), rank = rank_in(communicator_);
  for (std::size_t i = 0; i < sealed_.size(); ++i) {
    const SealedArray& sealed = sealed_[i];
    const std::int64_t first = sealed.points / ranks * rank;
    const std::int64_t end = rank + 1 == ranks ? sealed.points : first + sealed.points / ranks;
    std::uint64_t sum = 0;
    collectively(communicator_, [&] { sum = digest_in_file(path(), sealed, first, end - first); });
    if (sum_over_ranks(communicator_, sum) != sealed.digest)
      fail_as_damaged(path(),
                      fmt::format("the values of '{}' are not those that were written", all_[i].name));
  }
}

std::vector<double> CheckpointReader::residuals() {
  const auto found = std::ranges::find(all_, residuals_name, &FileArray::name);
  if (found == all_.end()) return {};
  std::vector<double> values(static_cast<std::size_t>(found->domain.size()));
  read(residuals_name, packed_block(reinterpret_cast<std::byte*>(values.data()), found->type, found->domain));
  return values;
}

void CheckpointReader::read(const std::string& name, const HostBlock& block) {
  collectively(communicator_, [&] {
    const auto found = std::ranges::find(all_, name, &FileArray::name);
    if (found == all_.end()) throw InternalError(fmt::format("{} has no array '{}'", path(), name));
    check_block(block, found->type, found->domain);
    // The points of an array lie in the file as in memory, so that reading them needs no HDF5.
    const auto place = sealed_.begin() + (found - all_.begin());
    read_at(path(), place->offset, found->domain, block);
  });
}

}  // namespace tessera::io
