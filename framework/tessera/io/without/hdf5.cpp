// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files and checkpoints in a build without the HDF5 library: every call throws InputError.
#include "tessera/io/checkpoint_file.hpp"
#include "tessera/io/detail/checkpoint_seal.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io {
namespace {

[[noreturn]] void fail_without(const std::string& path) {
  detail::fail(path, "checkpoints need HDF5, which this Tessera was built without",
               "configure it with -DTESSERA_HDF5=ON, or leave checkpoints out");
}

constexpr const char* any_checkpoint = "checkpoint";

}  // namespace

std::string hdf5_version() { return "none"; }

void set_end_of_job(EndJob) {}

std::vector<std::unique_ptr<BlockSink>> create_hdf5(MPI_Comm, const std::string& path,
                                                    const std::vector<FileArray>&, const Hdf5Storage&,
                                                    std::function<FileNotes()>) {
  detail::fail_without(path, "HDF5", detail::write_other_format);
}

std::unique_ptr<BlockWriter> create_hdf5_blocks(MPI_Comm, const std::string& path, const std::string&,
                                                const Box&, ElementType, const BegunFile&) {
  detail::fail_without(path, "HDF5", detail::write_other_format);
}

std::unique_ptr<CheckpointWriter> create_checkpoint(MPI_Comm, const std::string& path, std::int64_t) {
  fail_without(path);
}

CheckpointReader::CheckpointReader(MPI_Comm, const std::string& path) { fail_without(path); }
CheckpointReader::~CheckpointReader() = default;
void CheckpointReader::verify() { fail_without(any_checkpoint); }
std::vector<double> CheckpointReader::residuals() { fail_without(any_checkpoint); }
void CheckpointReader::read(const std::string&, const HostBlock&) { fail_without(any_checkpoint); }

}  // namespace tessera::io
