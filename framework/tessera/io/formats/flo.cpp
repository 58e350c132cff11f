// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <bit>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/sinks.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {
namespace {

/// The header of a .flo file. The Middlebury benchmark keeps optical flows in such files. After it the file
/// has the displacements u and v of each pixel as floats, row by row, and the least significant byte first.
struct FloHeader {
  static_assert(std::endian::native == std::endian::little, "files of other byte orders are not converted");
  /// The number that all files begin with. Its bytes are the letters PIEH.
  static constexpr float signature = 202021.25f;

  float tag = signature;
  std::int32_t width = 0;
  std::int32_t height = 0;
};
static_assert(sizeof(FloHeader) == 12);

constexpr std::int64_t pixel_bytes = 2 * sizeof(float);

/// Reads `bytes` bytes of the file from `offset` on.
void read_bytes(const std::string& path, std::FILE* file, std::int64_t offset, void* to, std::int64_t bytes) {
  const auto count = static_cast<std::size_t>(bytes);
  if (fseeko(file, offset, SEEK_SET) != 0 || std::fread(to, 1, count, file) != count)
    fail(path, "ends too early", "replace it by the whole file");
}

/// Reads the header of an open file, and returns the domain of the flow.
Box read_header(const std::string& path, std::FILE* file) {
  FloHeader header;
  read_bytes(path, file, 0, &header, sizeof header);
  if (header.width < 1 || header.height < 1)
    fail(path, fmt::format("is damaged: it says that it has {} x {} pixels", header.width, header.height),
         "replace it");
  return {{0, header.width}, {0, header.height}, {0, 2}};
}

ImageInfo inspect_flo(const std::string& path, const ImageChoice&) {
  const File file = open_for_reading(path);
  const Box domain = read_header(path, file.get());
  const std::int64_t size = file_bytes(path);
  // The number of bytes of the pixels that a header claims may not be representable; the number of pixels
  // always is.
  const std::int64_t pixels = domain[0].size() * domain[1].size();
  const std::int64_t bytes = size - static_cast<std::int64_t>(sizeof(FloHeader));
  if (bytes % pixel_bytes != 0 || bytes / pixel_bytes != pixels)
    fail(path,
         fmt::format("is damaged: its {} bytes are not those of {} x {} pixels", size, domain[0].size(),
                     domain[1].size()),
         "replace it by the whole file");
  return {.type = ElementType::float32, .domain = domain};
}

void read_flo(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  const File file = open_for_reading(path);
  check_unchanged(path, info, ElementType::float32, read_header(path, file.get()));
  if (block.box.empty()) return;
  const std::int64_t row_bytes = bytes_of_row(info.domain, info.type);
  std::vector<std::byte> row(static_cast<std::size_t>(row_bytes));
  for (std::int64_t y = block.box[1].begin; y < block.box[1].end; ++y) {
    read_bytes(path, file.get(), static_cast<std::int64_t>(sizeof(FloHeader)) + y * row_bytes, row.data(),
               row_bytes);
    take_points(row_of(row.data(), ElementType::float32, info.domain, y), block);
  }
}

/// Writes the rows of a .flo file.
class FloWriter final : public RowWriter {
 public:
  FloWriter(const UnfinishedFile& output, const Box& domain, ElementType, int) : file_(output) {
    const FloHeader header{.width = static_cast<std::int32_t>(domain[0].size()),
                           .height = static_cast<std::int32_t>(domain[1].size())};
    file_.append(&header, sizeof header);
  }

  void write_rows(const HostBlock& rows) override {
    std::vector<std::byte> samples(static_cast<std::size_t>(rows.box.size()) * sizeof(float));
    put_points(rows, {samples.data(), ElementType::float32, rows.box});
    file_.append(samples.data(), samples.size());
  }
  void finish() override { file_.close(); }

 private:
  FileWriter file_;
};

}  // namespace

/// Reads and writes optical flows of the Middlebury benchmark: float32 with the channels u and v, the
/// displacements.
extern const FormatFunctions flo_format = {inspect_flo, open_by_rank<read_flo>, create_by_rows<FloWriter>};

}  // namespace tessera::io::detail
