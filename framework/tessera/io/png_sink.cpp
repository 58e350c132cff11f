// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/detail/png_samples.hpp"
#include "tessera/io/detail/png_writer.hpp"
#include "tessera/io/detail/row_sink.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io {
namespace {

using namespace detail;

/// Returns the layout of a PNG file for an array. Throws InputError when PNG does not support such arrays.
PngLayout layout_for(const std::string& path, const Box& domain, ElementType type) {
  const std::string advice = "write HDF5 instead";
  if (type != ElementType::uint8 && type != ElementType::uint16 && type != ElementType::float32)
    fail(path, fmt::format("PNG holds uint8, uint16 or float32, not {}", name_of(type)), advice);
  if (!is_writable_image(domain))
    fail(path, fmt::format("PNG holds images of 1, 3 or 4 channels, not {}", to_string(domain)), advice);
  check_rows(path, "PNG", domain, type);
  return {domain[0].size(), domain[1].size(), static_cast<int>(channels_of(domain).size()),
          type == ElementType::uint8 ? 8 : 16};
}

class PngRows final : public RowWriter {
 public:
  PngRows(const UnfinishedFile& file, const PngLayout& layout, int threads)
      : writer_(file, layout, threads) {}

  void write_rows(const HostBlock& rows) override {
    const Range y = rows.box[1];
    writer_.write_rows(y.size(),
                       [&](std::int64_t row, std::byte* samples) { make_row(rows, y.begin + row, samples); });
  }
  void finish() override { writer_.finish(); }

 private:
  PngWriter writer_;
};

}  // namespace

std::unique_ptr<BlockSink> create_png(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type, int threads) {
  const PngLayout layout = layout_for(path, domain, type);
  return std::make_unique<RowSink>(communicator, path, domain, type,
                                   [layout, threads](const UnfinishedFile& file) {
                                     return std::make_unique<PngRows>(file, layout, threads);
                                   });
}

}  // namespace tessera::io
