// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/png_deflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace tessera::io::detail {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// How zlib searches for repetitions.
struct Search {
  int level;
  int strategy;
};
/// The search for repetitions of bytes at any distance.
constexpr Search for_repetitions{Z_DEFAULT_COMPRESSION, Z_FILTERED};
/// A quicker search for repetitions of bytes, which finds fewer of them.
constexpr Search for_some_repetitions{Z_BEST_SPEED, Z_FILTERED};
/// The search for bytes that are equal to the byte before.
constexpr Search for_runs{Z_BEST_SPEED, Z_RLE};

class Deflater {
 public:
  explicit Deflater(const Search& search) {
    constexpr int raw_window_bits = -15;  // negative: without the header of zlib
    constexpr int memory_level = 8;
    if (deflateInit2(&stream_, search.level, Z_DEFLATED, raw_window_bits, memory_level, search.strategy) !=
        Z_OK)
      throw std::bad_alloc();
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream_); }

  void set_before(Bytes before) {
    if (before.empty()) return;
    deflateSetDictionary(&stream_, before.data(), static_cast<uInt>(before.size()));
  }

  std::vector<std::uint8_t> run(Bytes bytes, int flush) {
    constexpr uLong bytes_of_flush = 16;
    std::vector<std::uint8_t> result(deflateBound(&stream_, bytes.size()) + bytes_of_flush);
    stream_.next_in = const_cast<Bytef*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = result.data();
    stream_.avail_out = static_cast<uInt>(result.size());
    deflate(&stream_, flush);
    result.resize(result.size() - stream_.avail_out);
    return result;
  }

 private:
  z_stream stream_{};
};

}  // namespace

bool has_repetitions(Bytes sample) {
  const std::size_t with_repetitions = Deflater(for_some_repetitions).run(sample, Z_FINISH).size();
  const std::size_t with_runs = Deflater(for_runs).run(sample, Z_FINISH).size();
  return with_repetitions < with_runs - with_runs / 64;  // Less does not show that there are any.
}

std::vector<std::uint8_t> deflate_part(Bytes before, Bytes bytes, bool searches, bool is_last) {
  Deflater deflater(searches ? for_repetitions : for_runs);
  if (searches) deflater.set_before(before.last(std::min(before.size(), deflate_window)));
  // A flush ends the part at a whole byte.
  return deflater.run(bytes, is_last ? Z_FINISH : Z_SYNC_FLUSH);
}

}  // namespace tessera::io::detail
