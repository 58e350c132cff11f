// SPDX-License-Identifier: BSD-3-Clause
#include "io/io_test_support.hpp"
#include "io/plain_png.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

class BadImages : public testing::Test {
 protected:
  void write(const std::string& bytes) {
    on_rank_0([&] { write_bytes(path_, bytes); });
  }

  /// The bytes of a sound PNG file, and what there is to know of it.
  std::string sound_png(int interlace = PNG_INTERLACE_NONE) {
    PlainPng image = make_png(61, 40, PNG_COLOR_TYPE_RGB, 8, pixel<std::uint8_t>);
    image.interlace = interlace;
    on_rank_0([&] { write_plain_png(path_, image); });
    info_ = io::inspect_image(path_);
    return bytes_of(path_);
  }

  void expect_inspection_fails(const std::string& word) {
    expect_input_error([&] { io::inspect_image(path_); }, {path_, word});
  }

  /// Every rank notices, whatever its block: the last rank has all points, the others none.
  void expect_reading_fails() {
    OwnedBlock<std::uint8_t> block(part_of(info_.domain, Cut::last_rank));
    expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info_)->read(block.block()); },
                       {path_, "damaged or truncated PNG"});
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image";
  io::ImageInfo info_;
};

TEST_F(BadImages, MissingFile) { expect_inspection_fails("no such file"); }

TEST_F(BadImages, BelowAFile) {
  write("text");
  expect_input_error([&] { io::inspect_image(path_ + "/image.png"); }, {path_ + "/image.png"});
}

TEST_F(BadImages, Directory) {
  on_rank_0([&] { std::filesystem::create_directory(path_); });
  expect_inspection_fails("is a directory");
}

TEST_F(BadImages, NoRegularFile) {
  expect_input_error([] { io::inspect_image("/dev/null"); }, {"/dev/null"});
}

TEST_F(BadImages, NotAnImage) {
  for (const std::string& bytes : {std::string(), std::string("text"), std::string(5000, 'x')}) {
    write(bytes);
    expect_inspection_fails("is not an image");
  }
}

TEST_F(BadImages, TruncatedHeader) {
  const std::string bytes = sound_png();
  for (const std::size_t size : {8U, 12U, 20U, 32U}) {
    write(bytes.substr(0, size));
    expect_inspection_fails("ends too early");
  }
}

TEST_F(BadImages, TruncatedPixels) {
  for (const int interlace : {PNG_INTERLACE_NONE, PNG_INTERLACE_ADAM7}) {
    const std::string bytes = sound_png(interlace);
    constexpr std::size_t end_chunk = 12;
    const std::size_t pixels = bytes.find("IDAT") + 4;
    for (const std::size_t size :
         {pixels, pixels + 3, bytes.size() / 2, bytes.size() - end_chunk - 1, bytes.size() - end_chunk,
          bytes.size() - end_chunk + 6, bytes.size() - 1}) {
      write(bytes.substr(0, size));
      expect_reading_fails();
    }
  }
}

TEST_F(BadImages, FlippedBytes) {
  const std::string bytes = sound_png();
  const std::size_t pixels = bytes.find("IDAT") + 4;
  for (const std::size_t position :
       {pixels, pixels + 50, bytes.size() / 2, bytes.size() - 20, bytes.size() - 14}) {
    std::string damaged = bytes;
    damaged[position] = static_cast<char>(damaged[position] ^ 0x10);
    write(damaged);
    expect_reading_fails();
  }
}

TEST_F(BadImages, FlippedHeaderByte) {
  std::string bytes = sound_png();
  bytes[18] = static_cast<char>(bytes[18] ^ 0x01);
  write(bytes);
  expect_inspection_fails("damaged");
}

TEST_F(BadImages, ChangedSinceInspection) {
  sound_png();
  on_rank_0([&] { write_plain_png(path_, make_png(61, 40, PNG_COLOR_TYPE_GRAY, 8, pixel<std::uint8_t>)); });
  expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info_)->read(HostBlock{}); },
                     {path_, "changed"});
}

TEST_F(BadImages, VanishedSinceInspection) {
  sound_png();
  on_rank_0([&] { std::filesystem::remove(path_); });
  expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info_)->read(HostBlock{}); },
                     {path_, "no such file"});
}

}  // namespace
}  // namespace tessera::io_test
