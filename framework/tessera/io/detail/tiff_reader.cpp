// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/tiff_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "tessera/io/detail/interleaved.hpp"

namespace tessera::io::detail {
namespace {

/// Returns the range of the chunks that hold points of `points`. Each chunk has `size` points.
Range chunks_of(Range points, std::int64_t size) {
  return {points.begin / size, (points.end + size - 1) / size};
}

}  // namespace

// The letter `m` of the mode disables memory maps. With a memory map, a file that becomes shorter during
// reading would end the program by a signal. Without memory maps, libtiff reports an error instead.
TiffReader::TiffReader(const std::string& path, int page) : path_(path), file_(open_for_reading(path), "rm") {
  if (file_.handle() == nullptr) fail_damaged();
  if (page > 0) go_to_page(page);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  layout_ = read_layout(file_.handle(), path, error ? 0 : static_cast<std::int64_t>(bytes));
}

void TiffReader::go_to_page(int page) {
  if (TIFFSetDirectory(file_.handle(), static_cast<tdir_t>(page)) == 1) return;
  const auto pages = static_cast<std::int64_t>(TIFFNumberOfDirectories(file_.handle()));
  if (page >= pages)
    fail(path_, fmt::format("has no page {}", page),
         pages == 1 ? "it has only page 0" : fmt::format("give one from 0 to {}", pages - 1));
  fail_damaged();
}

void TiffReader::read(const HostBlock& block) {
  if (block.box.empty()) return;
  const auto element = static_cast<std::int64_t>(size_of(layout_.type));
  const std::int64_t samples = layout_.planar ? 1 : layout_.channels();
  const auto most = layout_.chunk_width * layout_.chunk_height * samples * element;
  const auto bytes = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(most));

  const Range columns = chunks_of(block.box[0], layout_.chunk_width);
  const Range rows = chunks_of(block.box[1], layout_.chunk_height);
  const Range planes = layout_.planar ? block.box[2] : Range{0, 1};
  for (std::int64_t plane = planes.begin; plane < planes.end; ++plane)
    for (std::int64_t row = rows.begin; row < rows.end; ++row)
      for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        const std::int64_t number = (plane * layout_.rows() + row) * layout_.columns() + column;
        Interleaved chunk{bytes.get(), layout_.type, layout_.domain};
        chunk.box[0] = {column * layout_.chunk_width, (column + 1) * layout_.chunk_width};
        chunk.box[1] = {row * layout_.chunk_height, (row + 1) * layout_.chunk_height};
        if (!layout_.tiled) chunk.box[1].end = std::min(chunk.box[1].end, layout_.domain[1].end);
        if (layout_.planar) chunk.box[2] = {plane, plane + 1};
        decode(static_cast<std::uint32_t>(number), bytes.get(), chunk.box.size() * element);
        take_points(chunk, block);
      }
}

void TiffReader::decode(std::uint32_t number, std::byte* bytes, std::int64_t count) {
  const tmsize_t decoded = layout_.tiled ? TIFFReadEncodedTile(file_.handle(), number, bytes, count)
                                         : TIFFReadEncodedStrip(file_.handle(), number, bytes, count);
  if (decoded != count || file_.has_damaged_jpeg()) fail_damaged();
}

void TiffReader::fail_damaged() const {
  const std::string reason = *file_.error() == '\0' ? "a strip or tile is not whole" : file_.error();
  fail(path_, fmt::format("damaged or truncated TIFF ({})", reason), "get a complete copy of the file");
}

}  // namespace tessera::io::detail
