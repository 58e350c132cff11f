// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/png_encoding.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace tessera::io::detail {
namespace {

/// Predicts a byte from the bytes to its left, above it, and to the left of the one above. `filter` is the
/// number of a filter in PNG files: none, sub, up, average or Paeth.
template <int filter>
std::uint8_t predict(std::uint8_t left, std::uint8_t above, std::uint8_t corner) {
  if constexpr (filter == 0) return 0;
  if constexpr (filter == 1) return left;
  if constexpr (filter == 2) return above;
  if constexpr (filter == 3) return static_cast<std::uint8_t>((left + above) / 2);
  const auto of_left = static_cast<std::int16_t>(std::abs(above - corner));
  const auto of_above = static_cast<std::int16_t>(std::abs(left - corner));
  const auto of_corner = static_cast<std::int16_t>(std::abs(left + above - 2 * corner));
  const std::uint8_t nearer = of_above <= of_corner ? above : corner;
  const bool is_left = (of_left <= of_above) & (of_left <= of_corner);
  return is_left ? left : nearer;
}

template <int filter>
std::uint8_t filtered_byte(const std::uint8_t* row, const std::uint8_t* above, std::int64_t i, int pixel) {
  return static_cast<std::uint8_t>(row[i] - predict<filter>(row[i - pixel], above[i], above[i - pixel]));
}

/// Returns the sum of the filtered bytes, each taken as the absolute value of a signed number.
template <int filter>
std::int64_t cost(const std::uint8_t* row, const std::uint8_t* above, std::int64_t bytes, int pixel) {
  constexpr std::int64_t piece = 4096;  // so short that 32 bits hold the sum
  std::int64_t sum = 0;
  for (std::int64_t begin = 0; begin < bytes; begin += piece) {
    std::uint32_t part = 0;
    for (std::int64_t i = begin; i < std::min(begin + piece, bytes); ++i) {
      const std::uint8_t byte = filtered_byte<filter>(row, above, i, pixel);
      part += std::min(byte, static_cast<std::uint8_t>(-byte));
    }
    sum += part;
  }
  return sum;
}

template <int filter>
void apply(const std::uint8_t* row, const std::uint8_t* above, std::int64_t bytes, int pixel,
           std::uint8_t* filtered) {
  for (std::int64_t i = 0; i < bytes; ++i) filtered[i] = filtered_byte<filter>(row, above, i, pixel);
}

template <int... filters>
void choose(const std::uint8_t* row, const std::uint8_t* above, std::int64_t bytes, int pixel,
            std::uint8_t* filtered) {
  using Apply = void (*)(const std::uint8_t*, const std::uint8_t*, std::int64_t, int, std::uint8_t*);
  constexpr std::array<Apply, sizeof...(filters)> all{apply<filters>...};
  const std::array<std::int64_t, sizeof...(filters)> costs{cost<filters>(row, above, bytes, pixel)...};
  const auto best = std::min_element(costs.begin(), costs.end()) - costs.begin();
  filtered[0] = static_cast<std::uint8_t>(best);
  all[static_cast<std::size_t>(best)](row, above, bytes, pixel, filtered + 1);
}

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
  /// The stream may refer back to `before`.
  explicit Deflater(const Search& search, Bytes before = {}) {
    constexpr int raw_window_bits = -15;  // negative: without the header of zlib
    constexpr int memory_level = 8;
    if (deflateInit2(&stream_, search.level, Z_DEFLATED, raw_window_bits, memory_level, search.strategy) !=
        Z_OK)
      throw std::bad_alloc();
    if (!before.empty()) deflateSetDictionary(&stream_, before.data(), static_cast<uInt>(before.size()));
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream_); }

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

void in_threads(int threads, std::int64_t count, const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      for (std::int64_t index = next++; index < count; index = next++) work(index);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  if (count > 0) {
    std::vector<std::jthread> others;
    try {
      for (std::int64_t i = 1; i < std::min<std::int64_t>(threads, count); ++i) others.emplace_back(run);
    } catch (const std::system_error&) {  // The system gives no more threads: fewer do the work.
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

void filter_png_row(const std::uint8_t* row, const std::uint8_t* above, std::int64_t bytes, int pixel_bytes,
                    std::uint8_t* filtered) {
  choose<0, 1, 2, 3, 4>(row, above, bytes, pixel_bytes, filtered);
}

bool has_repetitions(Bytes sample) {
  const std::size_t with_repetitions = Deflater(for_some_repetitions).run(sample, Z_FINISH).size();
  const std::size_t with_runs = Deflater(for_runs).run(sample, Z_FINISH).size();
  return with_repetitions < with_runs - with_runs / 64;  // Less does not show that there are any.
}

std::vector<std::uint8_t> deflate_part(Bytes before, Bytes bytes, bool searches, bool is_last) {
  if (searches) before = before.last(std::min(before.size(), deflate_window));
  Deflater deflater(searches ? for_repetitions : for_runs, searches ? before : Bytes());
  // A flush ends the part at a whole byte.
  return deflater.run(bytes, is_last ? Z_FINISH : Z_SYNC_FLUSH);
}

}  // namespace tessera::io::detail
