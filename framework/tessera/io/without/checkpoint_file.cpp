// SPDX-License-Identifier: BSD-3-Clause
// The functions for checkpoints in a build without HDF5. Every call throws InputError.
#include "tessera/io/checkpoint_file.hpp"

#include "tessera/io/detail/files.hpp"

namespace tessera::io {
namespace {

[[noreturn]] void fail_without(const std::string& path) {
  detail::fail(path, "checkpoints need HDF5, which this Tessera was built without",
               "configure it with -DTESSERA_HDF5=ON, or leave checkpoints out");
}

constexpr const char* any_checkpoint = "checkpoint";

}  // namespace

class CheckpointWriter::Content {};

CheckpointWriter::CheckpointWriter(MPI_Comm, const std::string& path, std::int64_t) { fail_without(path); }
CheckpointWriter::~CheckpointWriter() = default;
void CheckpointWriter::write(const FileArray&, const HostBlock&) { fail_without(any_checkpoint); }
void CheckpointWriter::complete(const CheckpointNotes&, std::vector<double>) { fail_without(any_checkpoint); }

class CheckpointReader::Content {};

CheckpointReader::CheckpointReader(MPI_Comm, const std::string& path) { fail_without(path); }
CheckpointReader::~CheckpointReader() = default;
const std::string& CheckpointReader::path() const { fail_without(any_checkpoint); }
const CheckpointNotes& CheckpointReader::notes() const { fail_without(any_checkpoint); }
const std::vector<FileArray>& CheckpointReader::arrays() const { fail_without(any_checkpoint); }
void CheckpointReader::verify() { fail_without(any_checkpoint); }
std::vector<double> CheckpointReader::residuals() { fail_without(any_checkpoint); }
void CheckpointReader::read(const std::string&, const HostBlock&) { fail_without(any_checkpoint); }

}  // namespace tessera::io
