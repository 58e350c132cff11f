// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/flo_header.hpp"
#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {
namespace {

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

}  // namespace

ImageInfo inspect_flo(const std::string& path) {
  const File file = open_for_reading(path);
  const Box domain = read_header(path, file.get());
  std::error_code error;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  // A header may claim so many pixels that the number of their bytes is not representable; that of pixels
  // always is.
  const std::int64_t pixels = domain[0].size() * domain[1].size();
  const std::int64_t bytes = size - static_cast<std::int64_t>(sizeof(FloHeader));
  if (error || bytes % pixel_bytes != 0 || bytes / pixel_bytes != pixels)
    fail(path,
         fmt::format("is damaged: its {} bytes are not those of {} x {} pixels", size, domain[0].size(),
                     domain[1].size()),
         "replace it by the whole file");
  return {ImageFormat::flo, ElementType::float32, domain};
}

void read_flo(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  const File file = open_for_reading(path);
  check_unchanged(path, info, ElementType::float32, read_header(path, file.get()));
  if (block.box.empty()) return;
  const std::int64_t row_bytes = info.domain[0].size() * pixel_bytes;
  std::vector<std::byte> row(static_cast<std::size_t>(row_bytes));
  for (std::int64_t y = block.box[1].begin; y < block.box[1].end; ++y) {
    read_bytes(path, file.get(), static_cast<std::int64_t>(sizeof(FloHeader)) + y * row_bytes, row.data(),
               row_bytes);
    take_points(row_of(row.data(), ElementType::float32, info.domain, y), block);
  }
}

}  // namespace tessera::io::detail
