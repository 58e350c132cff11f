// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/block_writer.hpp"

#include <fmt/format.h>

#include <atomic>
#include <functional>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/file_writer.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/hdf5_place.hpp"
#include "tessera/io/file_array.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace {

using namespace detail;

/// Makes the empty file with the name that it is given, and returns where the first point of the array lies.
using Make = std::function<std::int64_t(const std::string& file_name)>;

class PlainWriter final : public BlockWriter {
 public:
  /// Rank 0 calls `make`.
  PlainWriter(MPI_Comm communicator, const std::string& path, const Box& domain, ElementType type,
              const Make& make)
      : communicator_(communicator), domain_(domain), type_(type), file_(communicator, path) {
    int rank = 0;
    MPI_Comm_rank(communicator, &rank);
    collectively(communicator, [&] {
      if (rank == 0) place_ = make(file_.temporary_path());
    });
    MPI_Bcast(&place_, 1, MPI_INT64_T, 0, communicator);
    collectively(communicator,
                 [&] { writer_ = std::make_unique<FileWriter>(file_.temporary_path(), file_.path()); });
  }

  void write(const HostBlock& block) override {
    check_block(block, type_, domain_);
    const auto size = static_cast<std::int64_t>(size_of(type_));
    for_each_run(block, domain_, [&](std::int64_t first, std::int64_t points, const std::byte* memory) {
      writer_->write(memory, points * size, place_ + first * size);
    });
    written_ += block.box.size();
  }

  void complete() override {
    std::int64_t points = written_;
    MPI_Allreduce(MPI_IN_PLACE, &points, 1, MPI_INT64_T, MPI_SUM, communicator_);
    if (points != domain_.size())
      throw AgreedInternalError(fmt::format("{}: blocks of {} points were written, but {} has {}",
                                            file_.path(), points, to_string(domain_), domain_.size()));
    collectively(communicator_, [&] { writer_->close(); });
    file_.complete();
  }

 private:
  MPI_Comm communicator_;
  Box domain_;
  ElementType type_;
  UnfinishedFile file_;
  std::unique_ptr<FileWriter> writer_;
  std::int64_t place_ = 0;
  std::atomic<std::int64_t> written_{0};
};

void check_domain(const std::string& path, const Box& domain) {
  if (domain.empty()) throw InternalError(fmt::format("{}: nothing to write", path));
}

}  // namespace

std::unique_ptr<BlockWriter> create_raw_blocks(MPI_Comm communicator, const std::string& path,
                                               const Box& domain, ElementType type) {
  check_domain(path, domain);
  return std::make_unique<PlainWriter>(
      communicator, path, domain, type, [&](const std::string& file_name) -> std::int64_t {
        reserve(file_name, path, domain.size() * static_cast<std::int64_t>(size_of(type)));
        return 0;
      });
}

std::unique_ptr<BlockWriter> create_hdf5_blocks(MPI_Comm communicator, const std::string& path,
                                                const std::string& dataset, const Box& domain,
                                                ElementType type) {
  check_domain(path, domain);
  return std::make_unique<PlainWriter>(communicator, path, domain, type, [&](const std::string& file_name) {
    return create_hdf5_place(file_name, path, {dataset, type, domain});
  });
}

}  // namespace tessera::io
