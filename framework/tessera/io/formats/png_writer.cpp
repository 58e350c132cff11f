// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/png_encoding.hpp"
#include "tessera/io/detail/sinks.hpp"

namespace tessera::io::detail {
namespace {

std::uint16_t to_sample(float value) {
  if (!(value > 0.0F)) return 0;  // also for NaN
  return value >= 1.0F ? std::uint16_t{65535} : static_cast<std::uint16_t>(value * 65535.0 + 0.5);
}

void make_row_of_floats(const HostBlock& block, std::int64_t y, std::uint16_t* samples) {
  const Range channel = channels_of(block.box);
  for (std::int64_t c = channel.begin; c < channel.end; ++c) {
    const auto* row = reinterpret_cast<const float*>(row_address(block, block.box[0].begin, y, c));
    for (std::int64_t i = 0; i < block.box[0].size(); ++i)
      samples[i * channel.size() + c - channel.begin] = to_sample(row[i]);
  }
}

/// Writes the samples of row `y` of `block` to `samples`, with all channels of a pixel together. `block`
/// holds whole rows in all channels. Floats are clamped to [0, 1], and become samples of 16 bits.
void make_row(const HostBlock& block, std::int64_t y, std::byte* samples) {
  if (block.type == ElementType::float32)
    make_row_of_floats(block, y, reinterpret_cast<std::uint16_t*>(samples));
  else
    put_points(block, row_of(samples, block.type, block.box, y));
}

using Bytes = std::span<const std::uint8_t>;

/// About how many bytes of rows form a strip.
constexpr std::int64_t bytes_of_strip = std::int64_t{128} << 10;
/// The number of strips that are compressed in the same way.
constexpr std::int64_t group_strips = 8;
/// The largest number of bytes of rows that are encoded together, unless a strip has more.
constexpr std::int64_t batch_bytes = std::int64_t{16} << 20;
/// The number of zeros before a row in memory; no pixel has more bytes.
constexpr std::int64_t zeros = 8;

/// The beginning of the zlib stream of a PNG file, for a window of 32 KiB and no preset dictionary.
constexpr std::array<std::uint8_t, 2> zlib_header{0x78, 0x01};

void append_number(std::vector<std::uint8_t>& bytes, std::uint32_t number) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(number >> shift));
}

/// Appends a chunk of a PNG file: its length, its name of four letters, its content, and its checksum.
void append_chunk(std::vector<std::uint8_t>& bytes, std::string_view name, Bytes content) {
  append_number(bytes, static_cast<std::uint32_t>(content.size()));
  const std::size_t begin = bytes.size();
  bytes.insert(bytes.end(), name.begin(), name.end());
  bytes.insert(bytes.end(), content.begin(), content.end());
  append_number(bytes, static_cast<std::uint32_t>(crc32_z(0, bytes.data() + begin, bytes.size() - begin)));
}

/// Returns a part of the image's zlib stream as chunks. A chunk must have less than 2 GiB.
std::vector<std::uint8_t> image_chunks(Bytes stream) {
  constexpr std::size_t most = std::size_t{1} << 30;
  std::vector<std::uint8_t> chunks;
  chunks.reserve(stream.size() + 64);
  for (std::size_t begin = 0; begin < stream.size(); begin += most)
    append_chunk(chunks, "IDAT", stream.subspan(begin, std::min(most, stream.size() - begin)));
  return chunks;
}

std::vector<std::uint8_t> file_header(const Box& domain, int bits) {
  constexpr std::array<std::uint8_t, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  constexpr std::uint8_t grey = 0, rgb = 2, rgb_and_alpha = 6;
  std::vector<std::uint8_t> content;
  append_number(content, static_cast<std::uint32_t>(domain[0].size()));
  append_number(content, static_cast<std::uint32_t>(domain[1].size()));
  content.push_back(static_cast<std::uint8_t>(bits));
  const std::int64_t channels = channels_of(domain).size();
  content.push_back(channels == 1 ? grey : channels == 3 ? rgb : rgb_and_alpha);
  content.insert(content.end(), 3, 0);  // deflate, the usual filters, not interlaced
  std::vector<std::uint8_t> header(signature.begin(), signature.end());
  append_chunk(header, "IHDR", content);
  return header;
}

void swap_bytes(std::uint8_t* bytes, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += 2) std::swap(bytes[i], bytes[i + 1]);
}

/// Encodes one PNG file, from its first row to its last one, on one rank. Several threads filter and compress
/// strips of rows; the bytes of the file do not depend on their number.
class PngWriter final : public RowWriter {
 public:
  PngWriter(const UnfinishedFile& output, const Box& domain, ElementType type, int threads)
      : file_(output),
        height_(domain[1].size()),
        bits_(type == ElementType::uint8 ? 8 : 16),
        threads_(threads),
        pixel_bytes_(static_cast<int>(channels_of(domain).size()) * bits_ / 8),
        row_bytes_(domain[0].size() * pixel_bytes_),
        strip_rows_(std::clamp<std::int64_t>(bytes_of_strip / row_bytes_, 1, height_)),
        checksum_(static_cast<std::uint32_t>(adler32(0, nullptr, 0))) {
    // Batches have whole groups, so that the groups do not depend on the number of threads.
    std::int64_t strips = std::max<std::int64_t>(batch_bytes / (strip_rows_ * row_bytes_), 1);
    if (strips > group_strips) strips = std::min<std::int64_t>(strips / group_strips, threads) * group_strips;
    batch_rows_ = std::min(strips * strip_rows_, height_);
    rows_.resize(static_cast<std::size_t>((batch_rows_ + 1) * (zeros + row_bytes_)));
    filtered_.resize(deflate_window + static_cast<std::size_t>(batch_rows_ * (1 + row_bytes_)));
    write(file_header(domain, bits_));
  }

  void write_rows(const HostBlock& rows) override {
    for (Range y = rows.box[1]; !y.empty();) {
      const Range some{y.begin, std::min(y.end, y.begin + batch_rows_ - made_)};
      make_rows(rows, some);
      y.begin = some.end;
      if (made_ == batch_rows_ || encoded_ + made_ == height_) encode();
    }
  }

  void finish() override {
    std::vector<std::uint8_t> checksum, end;
    append_number(checksum, checksum_);
    append_chunk(end, "IDAT", checksum);
    append_chunk(end, "IEND", {});
    write(end);
    file_.close();
  }

 private:
  /// Returns the bytes of row `row` of the batch. Row -1 is the row before the batch.
  std::uint8_t* row_at(std::int64_t row) { return rows_.data() + (row + 1) * (zeros + row_bytes_) + zeros; }

  std::uint8_t* filtered_at(std::int64_t row) {
    return filtered_.data() + deflate_window + row * (1 + row_bytes_);
  }

  void make_rows(const HostBlock& rows, Range y) {
    const std::int64_t pieces = (y.size() + strip_rows_ - 1) / strip_rows_;
    in_threads(threads_, pieces, [&](std::int64_t piece) {
      for (std::int64_t row = piece * strip_rows_; row < std::min((piece + 1) * strip_rows_, y.size());
           ++row) {
        make_row(rows, y.begin + row, reinterpret_cast<std::byte*>(row_at(made_ + row)));
        if constexpr (std::endian::native == std::endian::little)
          if (bits_ == 16) swap_bytes(row_at(made_ + row), row_bytes_);
      }
    });
    made_ += y.size();
  }

  /// Encodes the rows that have been made, and writes them to the file.
  void encode() {
    const std::int64_t strips = (made_ + strip_rows_ - 1) / strip_rows_;
    in_threads(threads_, strips, [this](std::int64_t strip) {
      for (std::int64_t row = strip * strip_rows_; row < end_of_strip(strip); ++row)
        filter_png_row(row_at(row), row_at(row - 1), row_bytes_, pixel_bytes_, filtered_at(row));
    });
    const std::vector<char> searches = groups_with_repetitions();
    std::vector<std::vector<std::uint8_t>> chunks(static_cast<std::size_t>(strips));
    std::vector<uLong> checksums(chunks.size());
    in_threads(threads_, strips, [&](std::int64_t strip) {
      const Bytes bytes = filtered_strip(strip);
      chunks[static_cast<std::size_t>(strip)] = image_chunks(
          compressed_strip(strip, searches[static_cast<std::size_t>(strip / group_strips)] != 0));
      checksums[static_cast<std::size_t>(strip)] =
          adler32_z(adler32(0, nullptr, 0), bytes.data(), bytes.size());
    });
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      write(chunks[i]);
      const auto bytes = static_cast<z_off_t>(filtered_strip(static_cast<std::int64_t>(i)).size());
      checksum_ = static_cast<std::uint32_t>(adler32_combine(checksum_, checksums[i], bytes));
    }
    keep_end();
  }

  Bytes filtered_strip(std::int64_t strip) {
    return {filtered_at(strip * strip_rows_), filtered_at(end_of_strip(strip))};
  }

  /// Returns, for each group of strips, whether the middle of the group has repetitions.
  std::vector<char> groups_with_repetitions() {
    constexpr std::size_t most = std::size_t{32} << 10;
    const std::int64_t group_rows = group_strips * strip_rows_;
    std::vector<char> result(static_cast<std::size_t>((made_ + group_rows - 1) / group_rows));
    in_threads(threads_, static_cast<std::int64_t>(result.size()), [&](std::int64_t group) {
      const Bytes bytes{filtered_at(group * group_rows),
                        filtered_at(std::min((group + 1) * group_rows, made_))};
      const std::size_t count = std::min(most, bytes.size());
      const Bytes sample = bytes.subspan((bytes.size() - count) / 2, count);
      result[static_cast<std::size_t>(group)] = has_repetitions(sample) ? 1 : 0;
    });
    return result;
  }

  /// Returns the part of the zlib stream that holds a strip. The first one begins with the header of the
  /// stream.
  std::vector<std::uint8_t> compressed_strip(std::int64_t strip, bool searches) {
    const Bytes bytes = filtered_strip(strip);
    const std::int64_t bytes_of_batch = strip * strip_rows_ * (1 + row_bytes_);
    const auto before = static_cast<std::size_t>(
        std::min<std::int64_t>(before_ + bytes_of_batch, static_cast<std::int64_t>(deflate_window)));
    const bool is_last = encoded_ + end_of_strip(strip) == height_;
    std::vector<std::uint8_t> stream =
        deflate_part({bytes.data() - before, before}, bytes, searches, is_last);
    if (encoded_ == 0 && strip == 0) stream.insert(stream.begin(), zlib_header.begin(), zlib_header.end());
    return stream;
  }

  /// Keeps what the next batch needs of this one: the last row, and the last filtered bytes.
  void keep_end() {
    constexpr auto window = static_cast<std::int64_t>(deflate_window);
    std::copy_n(row_at(made_ - 1), row_bytes_, row_at(-1));
    before_ = std::min(before_ + made_ * (1 + row_bytes_), window);
    std::memmove(filtered_at(0) - before_, filtered_at(made_) - before_, static_cast<std::size_t>(before_));
    encoded_ += made_;
    made_ = 0;
  }

  std::int64_t end_of_strip(std::int64_t strip) const { return std::min((strip + 1) * strip_rows_, made_); }

  void write(Bytes bytes) { file_.append(bytes.data(), bytes.size()); }

  FileWriter file_;
  std::int64_t height_;
  int bits_;
  int threads_;
  int pixel_bytes_;
  std::int64_t row_bytes_;
  std::int64_t strip_rows_;
  /// The number of rows that are encoded together.
  std::int64_t batch_rows_;
  /// The number of rows that have been encoded.
  std::int64_t encoded_ = 0;
  /// The number of rows that have been made and not been encoded.
  std::int64_t made_ = 0;
  /// The row before the batch, and the rows of the batch. Each of them follows some zeros.
  std::vector<std::uint8_t> rows_;
  /// The last filtered bytes before the batch, and the filtered rows of the batch.
  std::vector<std::uint8_t> filtered_;
  /// The number of filtered bytes before the batch.
  std::int64_t before_ = 0;
  /// The checksum of all filtered bytes that have been encoded.
  std::uint32_t checksum_;
};

}  // namespace

std::unique_ptr<BlockSink> create_png(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type, int threads) {
  return create_by_rows<PngWriter>(communicator, path, domain, type, threads);
}

}  // namespace tessera::io::detail
