// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>

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

/// Creates a contiguous data set, and the groups above it. Collective in HDF5's sense.
Hdf5Id create_dataset(hid_t file, const std::string& path, const std::string& name, const Box& domain,
                      ElementType type) {
  std::array<hsize_t, max_dimensions> extents{};
  for (int d = 0; d < domain.dimensions; ++d)
    extents[static_cast<std::size_t>(domain.dimensions - 1 - d)] = static_cast<hsize_t>(domain[d].size());
  const Hdf5Id space(H5Screate_simple(domain.dimensions, extents.data(), nullptr), H5Sclose);
  const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(creation, false);  // equal arrays make equal files
  Hdf5Id dataset(H5Dcreate2(file, name.c_str(), memory_type(type), space, links, creation, H5P_DEFAULT),
                 H5Dclose);
  if (!dataset.valid())
    fail_with_hdf5(path, fmt::format("data set '{}' cannot be created", name), "choose another name");
  return dataset;
}

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
    hdf5_ = create_in_parallel(communicator_, file_.temporary_path(), path);
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
