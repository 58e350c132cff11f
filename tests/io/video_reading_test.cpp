// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "io/plain_video.hpp"
#include "io/video_test_support.hpp"

namespace tessera::io_test {
namespace {

/// Y4M files that the tests write byte by byte, and damaged files.
class VideoReading : public testing::Test {
 protected:
  static std::vector<std::string> truncated_at(int frame, const std::string& reason = "ends too early") {
    return {"truncated at frame " + std::to_string(frame) + ",", reason};
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "video.y4m";
};

constexpr const char* kinds = "; give the path of a Y4M, MKV, WebM, MP4, MOV or AVI file";

/// Returns the points of each frame.
std::vector<std::vector<std::uint8_t>> frames_of(const std::string& path, io::VideoColour colour) {
  const auto video = io::open_video(path, colour);
  io::VideoReader& reader = *video;
  std::vector<std::vector<std::uint8_t>> frames;
  for (;;) {
    OwnedBlock<std::uint8_t> block(reader.info().domain);
    if (!reader.read(block.block())) return frames;
    frames.emplace_back();
    block.for_each([&](std::int64_t, std::int64_t, std::int64_t, std::uint8_t value) {
      frames.back().push_back(value);
    });
  }
}

TEST_F(VideoReading, GreyOfAHandwrittenFile) {
  write_bytes(path_, "YUV4MPEG2 W3 H2 F30000:1001 Ip A1:1 Cmono\nFRAME\nabcdefFRAME\nuvwxyz");
  const auto video = io::open_video(path_);
  io::VideoReader& reader = *video;
  EXPECT_EQ(reader.info().type, ElementType::uint8);
  EXPECT_EQ(reader.info().bits, 8);
  EXPECT_TRUE(reader.info().domain == (Box{{0, 3}, {0, 2}}));
  EXPECT_EQ(reader.info().frames, 2);
  EXPECT_EQ(reader.info().rate, (io::FrameRate{30000, 1001}));
  EXPECT_EQ(reader.info().codec, "rawvideo");
  for (const io::VideoColour colour : {io::VideoColour::as_stored, io::VideoColour::grey}) {
    const std::vector<std::vector<std::uint8_t>> expected = {{'a', 'b', 'c', 'd', 'e', 'f'},
                                                             {'u', 'v', 'w', 'x', 'y', 'z'}};
    EXPECT_EQ(frames_of(path_, colour), expected);
  }
}

TEST_F(VideoReading, TenBitsAreNotScaled) {
  using namespace std::string_literals;
  write_bytes(path_, "YUV4MPEG2 W2 H1 F25:1 Cmono10\nFRAME\n\x01\x00\xff\x03"s);
  const auto video = io::open_video(path_);
  io::VideoReader& reader = *video;
  EXPECT_EQ(reader.info().type, ElementType::uint16);
  EXPECT_EQ(reader.info().bits, 10);
  OwnedBlock<std::uint16_t> block(reader.info().domain);
  EXPECT_TRUE(reader.read(block.block()));
  EXPECT_EQ(block.at(0, 0), 1);
  EXPECT_EQ(block.at(1, 0), 1023);
  EXPECT_FALSE(reader.read(block.block()));
  EXPECT_FALSE(reader.read(block.block()));
}

TEST_F(VideoReading, LumaIsThatOfTheFile) {
  write_bytes(path_, "YUV4MPEG2 W4 H2 F25:1 C420jpeg\nFRAME\nabcdefghuvwx");
  const std::vector<std::vector<std::uint8_t>> expected = {{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}};
  EXPECT_EQ(frames_of(path_, io::VideoColour::grey), expected);
}

/// The formula of ITU-R BT.601 for the limited range.
TEST_F(VideoReading, ColoursBecomeRgb) {
  for (const auto& [luma, blue, red] : {std::array{16, 128, 128},
                                        {235, 128, 128},
                                        {126, 128, 128},
                                        {81, 90, 240},
                                        {145, 54, 34},
                                        {41, 240, 110}}) {
    SCOPED_TRACE(luma);
    std::string frame(16, static_cast<char>(luma));
    frame += std::string(16, static_cast<char>(blue)) + std::string(16, static_cast<char>(red));
    write_bytes(path_, "YUV4MPEG2 W4 H4 F25:1 C444\nFRAME\n" + frame);
    const auto video = io::open_video(path_);
    io::VideoReader& reader = *video;
    EXPECT_TRUE(reader.info().domain == (Box{{0, 4}, {0, 4}, {0, 3}}));
    OwnedBlock<std::uint8_t> block(reader.info().domain, Layout::channels_between_rows);
    EXPECT_TRUE(reader.read(block.block()));
    const double y = (luma - 16) * 255 / 219.0;
    const double pb = (blue - 128) * 255 / 224.0;
    const double pr = (red - 128) * 255 / 224.0;
    const double rgb[] = {y + 1.402 * pr, y - 0.344136 * pb - 0.714136 * pr, y + 1.772 * pb};
    block.for_each([&](std::int64_t, std::int64_t, std::int64_t c, std::uint8_t value) {
      EXPECT_NEAR(value, std::clamp(rgb[c], 0.0, 255.0), 1.5);
    });
  }
}

TEST_F(VideoReading, PartsOfAFrame) {
  const std::string path = folder_ / "video.mkv";
  const Box domain{{0, 20}, {0, 10}, {0, 3}};
  write_video<std::uint8_t>(path, domain, 2);
  const auto video = io::open_video(path);
  io::VideoReader& reader = *video;
  for (int frame = 0; frame < 2; ++frame) {
    OwnedBlock<std::uint8_t> block(Box{{3, 9}, {4, 10}, {1, 3}}, Layout::padded);
    EXPECT_TRUE(reader.read(block.block()));
    std::int64_t wrong = block.changed_padding();
    block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, std::uint8_t value) {
      wrong += value != video_pixel<std::uint8_t>(frame, x, y, c);
    });
    EXPECT_EQ(wrong, 0);
  }
  EXPECT_THROW(reader.read(OwnedBlock<std::uint8_t>(Box{{0, 21}, {0, 10}, {0, 3}}).block()), InternalError);
  EXPECT_THROW(reader.read(OwnedBlock<std::uint16_t>(domain).block()), InternalError);
}

TEST_F(VideoReading, Y4mThatEndsWithinAFrameIsRefused) {
  const std::string header = "YUV4MPEG2 W3 H2 F25:1 Cmono\n";
  const std::string frame = "FRAME\nabcdef";
  const std::string bytes = header + frame + frame + frame;
  for (std::size_t size = header.size() + 1; size < bytes.size(); ++size) {
    write_bytes(path_, bytes.substr(0, size));
    const std::size_t complete = (size - header.size()) / frame.size();
    if (size == header.size() + complete * frame.size())
      EXPECT_EQ(frames_of(path_, io::VideoColour::grey).size(), complete);
    else
      expect_file_error([&] { frames_of(path_, io::VideoColour::grey); }, path_,
                        truncated_at(static_cast<int>(complete)));
  }
  write_bytes(path_, header);
  expect_file_error([&] { io::open_video(path_); }, path_, {"video without", "give the path"});
}

TEST_F(VideoReading, FramesBeforeTheDamageAreRead) {
  write_bytes(path_, "YUV4MPEG2 W3 H2 F25:1 Cmono\nFRAME\nabcdefFRAME\nuvwxy");
  const auto video = io::open_video(path_);
  io::VideoReader& reader = *video;
  OwnedBlock<std::uint8_t> block(reader.info().domain);
  EXPECT_TRUE(reader.read(block.block()));
  EXPECT_EQ(block.at(2, 1), 'f');
  expect_file_error([&] { reader.read(block.block()); }, path_, truncated_at(1));
  expect_file_error([&] { reader.read(block.block()); }, path_, truncated_at(1));
}

TEST_F(VideoReading, Y4mWithoutTheWordFrameIsRefused) {
  write_bytes(path_, "YUV4MPEG2 W3 H2 F25:1 Cmono\nFRAME\nabcdefGRAME\nuvwxyz");
  expect_file_error([&] { frames_of(path_, io::VideoColour::grey); }, path_,
                    truncated_at(1, "Invalid data found when processing input"));
}

/// Returns where the last frame of a Matroska file of FFV1 ends: before the index of the file.
std::size_t end_of_frames(const std::string& bytes) { return bytes.rfind("\x1c\x53\xbb\x6b"); }

TEST_F(VideoReading, MatroskaThatEndsTooEarlyIsRefused) {
  path_ = folder_ / "video.mkv";
  write_video<std::uint8_t>(path_, Box{{0, 37}, {0, 23}}, 5);
  const std::string bytes = bytes_of(path_);
  const std::size_t end = end_of_frames(bytes);
  ASSERT_LT(end, bytes.size());
  for (std::size_t size = 1; size < end; size += 29) {
    write_bytes(path_, bytes.substr(0, size));
    expect_input_error([&] { frames_of(path_, io::VideoColour::grey); }, {path_ + ": ", " ("});
  }
  write_bytes(path_, bytes.substr(0, end - 1));
  expect_file_error([&] { frames_of(path_, io::VideoColour::grey); }, path_,
                    truncated_at(4, "File ended prematurely"));
}

/// FFmpeg itself takes the end of the file for the end of the video, where no frame is cut.
TEST_F(VideoReading, MovAndAviThatEndTooEarlyAreRefused) {
  for (const char* kind : {"mov", "avi"}) {
    path_ = folder_ / kind;
    write_png_video(path_, {{16, 12}, {16, 12}, {16, 12}}, kind);
    const std::string bytes = bytes_of(path_);
    EXPECT_EQ(frames_of(path_, io::VideoColour::grey).size(), 3U);
    for (std::size_t size = 1; size < bytes.size(); size += 29) {
      const std::string next_box = bytes.substr(std::min(size + 4, bytes.size()), 4);
      if (next_box == "moof" || next_box == "mfra") continue;  // a whole file of fewer fragments
      write_bytes(path_, bytes.substr(0, size));
      SCOPED_TRACE(size);
      expect_input_error([&] { frames_of(path_, io::VideoColour::grey); }, {path_ + ": "});
    }
  }
}

/// FFmpeg itself would repeat points of the frame before.
TEST_F(VideoReading, WrongChecksumsAreErrors) {
  path_ = folder_ / "video.mkv";
  write_video<std::uint8_t>(path_, Box{{0, 37}, {0, 23}}, 5);
  std::string bytes = bytes_of(path_);
  bytes[end_of_frames(bytes) - 300] ^= 4;
  write_bytes(path_, bytes);
  for (const int threads : {1, 3})
    expect_input_error([&] { read_video<std::uint8_t>(path_, Layout::packed, threads); },
                       {path_ + ": is damaged or truncated at frame ", "counted from 0 (slice CRC mismatch"});
}

TEST_F(VideoReading, WhatIsNoVideoIsRefused) {
  expect_file_error([&] { io::open_video(path_); }, path_, {"such file", "give the path"});
  expect_file_error([&] { io::open_video(folder_ / ""); }, folder_ / "", {"directory", "give the path"});
  const std::string list = folder_ / "list.m3u8";
  write_bytes(list, "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nvideo.ts\n");
  expect_file_error([&] { io::open_video(list); }, list, {"cannot be read", "another"});
  const std::string text = folder_ / "readme.txt";
  write_bytes(text, "Frames of a film, and what they show.\n");
  expect_file_error([&] { io::open_video(text); }, text, {"data found", "when processing"});
  write_bytes(path_, "");
  expect_input_error([&] { io::open_video(path_); }, {path_ + ": cannot be read as a video (", kinds});
  const std::string sound = folder_ / "sound.mkv";
  write_sound(sound);
  expect_file_error([&] { io::open_video(sound); }, sound, {"video stream", "give the path"});
}

TEST_F(VideoReading, FramesThatDifferAreRefused) {
  path_ = folder_ / "video.mkv";
  write_png_video(path_, {{6, 4}, {6, 4}, {8, 4}});
  const auto video = io::open_video(path_);
  io::VideoReader& reader = *video;
  OwnedBlock<std::uint8_t> block(reader.info().domain);
  EXPECT_TRUE(reader.read(block.block()));
  EXPECT_TRUE(reader.read(block.block()));
  EXPECT_EQ(block.at(5, 3), 100);
  expect_file_error([&] { reader.read(block.block()); }, path_, {"frame 2", "video whose"});
  write_png_video(path_, {{6, 4}, {6, 4, AV_PIX_FMT_RGB24}});
  expect_file_error([&] { frames_of(path_, io::VideoColour::as_stored); }, path_,
                    {"points of rgb24", "video whose"});
}

TEST_F(VideoReading, TransparencyAndTheLumaOfRgbAreRefused) {
  path_ = folder_ / "video.mkv";
  write_png_video(path_, {{6, 4, AV_PIX_FMT_RGBA}});
  expect_file_error([&] { io::open_video(path_); }, path_, {"not read", "without transparency"});
  write_png_video(path_, {{6, 4, AV_PIX_FMT_RGB24}});
  expect_file_error([&] { io::open_video(path_, io::VideoColour::grey); }, path_, {"RGB video", "no luma"});
}

}  // namespace
}  // namespace tessera::io_test
