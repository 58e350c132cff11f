// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <random>

#include "io/io_test_support.hpp"
#include "tessera/io/detail/png_encoding.hpp"

namespace tessera::io_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Returns the bytes that zlib reads from a deflate stream without a header, or none if the stream is not
/// whole.
Bytes inflated(const Bytes& stream, std::size_t expected) {
  Bytes result(expected + 1);
  z_stream inflater{};
  inflateInit2(&inflater, -15);
  inflater.next_in = const_cast<Bytef*>(stream.data());
  inflater.avail_in = static_cast<uInt>(stream.size());
  inflater.next_out = result.data();
  inflater.avail_out = static_cast<uInt>(result.size());
  const bool is_whole = inflate(&inflater, Z_FINISH) == Z_STREAM_END && inflater.avail_in == 0;
  result.resize(is_whole ? inflater.total_out : 0);
  inflateEnd(&inflater);
  return result;
}

Bytes noise(std::size_t count) {
  std::mt19937 random(7);
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

Bytes all_runs() {
  Bytes bytes;
  for (std::size_t length = 1; length < 600; ++length)
    bytes.insert(bytes.end(), length, static_cast<std::uint8_t>(length));
  return bytes;
}

TEST(PngDeflate, ZlibInflatesEverything) {
  const std::vector<Bytes> cases{
      {0},      {255},      {1, 2},        Bytes(3, 9), Bytes(259, 9), Bytes(100000, 7),
      noise(1), noise(257), noise(131072), all_runs()};
  for (const Bytes& bytes : cases)
    for (const bool searches : {false, true}) {
      const Bytes stream = io::detail::deflate_part({}, bytes, searches, true);
      EXPECT_TRUE(inflated(stream, bytes.size()) == bytes) << bytes.size() << " bytes";
      EXPECT_LT(stream.size(), bytes.size() + bytes.size() / 200 + 250);
    }
  EXPECT_LT(io::detail::deflate_part({}, Bytes(100000, 7), false, true).size(), 500U);
}

TEST(PngDeflate, PartsMakeOneStream) {
  const Bytes first = noise(1000), second(5000, 3), third = all_runs();
  Bytes stream, expected;
  const auto add = [&](const Bytes& bytes, bool searches, bool is_last) {
    const Bytes part = io::detail::deflate_part(expected, bytes, searches, is_last);
    stream.insert(stream.end(), part.begin(), part.end());
    expected.insert(expected.end(), bytes.begin(), bytes.end());
  };
  add(first, false, false);
  add(second, true, false);
  add(first, true, false);
  add(third, false, false);
  EXPECT_TRUE(inflated(stream, expected.size()).empty()) << "the stream has not ended";
  add(first, true, true);
  EXPECT_TRUE(inflated(stream, expected.size()) == expected);
  EXPECT_LT(stream.size(), 1000U + 5000U) << "what comes again refers to what was there before";
}

TEST(PngDeflate, ASampleTellsWhetherThereAreRepetitions) {
  EXPECT_FALSE(io::detail::has_repetitions(noise(32768)));
  Bytes twice = noise(16000);
  const Bytes once = twice;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_TRUE(io::detail::has_repetitions(twice));
}

}  // namespace
}  // namespace tessera::io_test
