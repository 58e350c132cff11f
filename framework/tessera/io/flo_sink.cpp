// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <vector>

#include "tessera/io/detail/file_writer.hpp"
#include "tessera/io/detail/flo_header.hpp"
#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/detail/row_sink.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io {

using namespace detail;

namespace {

/// Writes the rows of a .flo file.
class FloWriter final : public RowWriter {
 public:
  FloWriter(const UnfinishedFile& output, const Box& domain) : file_(output.temporary_path(), output.path()) {
    const FloHeader header = flo_header(domain);
    append(reinterpret_cast<const std::byte*>(&header), sizeof header);
  }

  void write_rows(const HostBlock& rows) override {
    std::vector<std::byte> samples(
        static_cast<std::size_t>(rows.box.size() * static_cast<std::int64_t>(sizeof(float))));
    put_points(rows, {samples.data(), ElementType::float32, rows.box});
    append(samples.data(), static_cast<std::int64_t>(samples.size()));
  }
  void finish() override { file_.close(); }

 private:
  void append(const std::byte* from, std::int64_t bytes) {
    file_.write(from, bytes, written_);
    written_ += bytes;
  }

  FileWriter file_;
  std::int64_t written_ = 0;
};

}  // namespace

std::unique_ptr<BlockSink> create_flo(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type) {
  if (type != ElementType::float32 || domain.dimensions != 3 || domain[2].size() != 2 || domain.empty())
    fail(path,
         fmt::format(".flo holds two channels of float32, not {} of {}", to_string(domain), name_of(type)),
         "write HDF5 instead");
  check_rows(path, ".flo", domain, type);
  return std::make_unique<RowSink>(communicator, path, domain, type, [domain](const UnfinishedFile& file) {
    return std::make_unique<FloWriter>(file, domain);
  });
}

}  // namespace tessera::io
