// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/hdf5_attributes.hpp"
#include "tessera/io/detail/hdf5_transfer.hpp"
#include "tessera/io/detail/parts.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace {

using namespace detail;

class Hdf5Sink : public BlockSink {
 public:
  Hdf5Sink(MPI_Comm communicator, const std::string& path, const std::string& dataset, const Box& domain,
           ElementType type, std::function<FileNotes()> notes)
      : communicator_(communicator),
        domain_(domain),
        type_(type),
        notes_(std::move(notes)),
        parts_(communicator, path, domain),
        file_(communicator, path) {
    const QuietHdf5 quiet;
    hdf5_ = create_in_parallel(communicator_, file_.temporary_path(), path,
                               domain.size() * static_cast<std::int64_t>(size_of(type)));
    collectively(communicator_, [&] { dataset_ = create_dataset(hdf5_, path, dataset, domain, type); });
  }

  void write(const HostBlock& block) override { write_part(block, domain_); }

  void write_part(const HostBlock& block, const Box& part) override {
    const QuietHdf5 quiet;
    parts_.take(block, part, type_);
    transfer(communicator_, dataset_, Direction::write, block, domain_, file_.path());
    if (parts_.complete()) complete();
  }

 private:
  void complete() {
    if (notes_) write_notes(notes_());
    collectively(communicator_, [&] {
      const bool closed = dataset_.close();
      if (!hdf5_.close() || !closed)
        fail_with_hdf5(file_.path(), "cannot be written", "free some space, or choose another place");
    });
    file_.complete();
  }

  void write_notes(const FileNotes& notes) {
    for (const NumberList& list : notes.lists) write_list(list);
    collectively(communicator_, [&] {
      for (const FileAttribute& attribute : notes.attributes) write_attribute(hdf5_, file_.path(), attribute);
    });
  }

  /// Rank 0's part is all of it.
  void write_list(const NumberList& list) {
    const Box all{{0, list.count}};
    Hdf5Id dataset;
    collectively(communicator_, [&] {
      dataset = create_dataset(hdf5_, file_.path(), list.name, all, ElementType::float64);
    });
    int rank = 0;
    MPI_Comm_rank(communicator_, &rank);
    std::vector<double> values = list.values;
    HostBlock block{reinterpret_cast<std::byte*>(values.data()), ElementType::float64, all, {1}};
    if (rank != 0) block.box[0].end = 0;
    transfer(communicator_, dataset, Direction::write, block, all, file_.path());
  }

  MPI_Comm communicator_;
  Box domain_;
  ElementType type_;
  std::function<FileNotes()> notes_;
  Parts parts_;
  UnfinishedFile file_;  // before the identifiers, so that they are closed when it is removed
  Hdf5Id hdf5_;
  Hdf5Id dataset_;
};

}  // namespace

std::unique_ptr<BlockSink> create_hdf5(MPI_Comm communicator, const std::string& path,
                                       const std::string& dataset, const Box& domain, ElementType type,
                                       std::function<FileNotes()> notes) {
  if (domain.empty()) throw InternalError(fmt::format("{}: nothing to write", path));
  return std::make_unique<Hdf5Sink>(communicator, path, dataset, domain, type, std::move(notes));
}

}  // namespace tessera::io
