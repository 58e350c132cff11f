// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "io/full_disk.hpp"
#include "io/plain_video.hpp"
#include "io/video_test_support.hpp"

namespace tessera::io_test {
namespace {

class VideoWriting : public testing::Test {
 protected:
  void expect_refused(const std::string& name, const Box& domain, ElementType type,
                      const std::vector<std::string>& words,
                      io::VideoCodec codec = io::VideoCodec::by_ending) {
    const std::string path = folder_ / name;
    expect_file_error([&] { io::create_video(path, domain, type, {}, {.codec = codec}); }, path, words);
    EXPECT_EQ(folder_.files(), std::vector<std::string>{});
  }

  SharedFolder folder_;
  Box grey_{{0, 37}, {0, 23}};
  Box rgb_{{0, 37}, {0, 23}, {0, 3}};
};

template <class T>
class VideoRoundTrip : public testing::Test {};
using SampleTypes = testing::Types<std::uint8_t, std::uint16_t>;
TYPED_TEST_SUITE(VideoRoundTrip, SampleTypes);

TYPED_TEST(VideoRoundTrip, KeepsEveryBit) {
  const SharedFolder folder;
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 3}, {37, 23}, {130, 65}, {361, 3}})
    for (const Box& domain : {Box{{0, width}, {0, height}}, Box{{0, width}, {0, height}, {0, 3}}})
      for (const char* name : {"video.mkv", "video.y4m"}) {
        const std::string path = folder / name;
        if (path.ends_with(".y4m") ? domain.dimensions == 3 : width < 3) continue;
        SCOPED_TRACE(path + " " + to_string(domain));
        write_video<TypeParam>(path, domain, 3, {}, {24000, 1001}, Layout::padded);
        const io::VideoInfo info = io::open_video(path)->info();
        EXPECT_EQ(info.type, element_type_of<TypeParam>());
        EXPECT_EQ(info.bits, static_cast<int>(8 * sizeof(TypeParam)));
        EXPECT_TRUE(info.domain == domain) << to_string(info.domain);
        EXPECT_EQ(info.frames, 3);
        EXPECT_EQ(info.rate, (io::FrameRate{24000, 1001}));
        EXPECT_EQ(info.codec, path.ends_with(".mkv") ? "ffv1" : "rawvideo");
        EXPECT_EQ(read_video<TypeParam>(path), 3);
        EXPECT_EQ(read_video<TypeParam>(path, Layout::channels_between_rows, 2), 3);
      }
}

TEST_F(VideoWriting, Y4mIsWhatItsDefinitionSays) {
  const std::string path = folder_ / "video.y4m";
  const Box domain{{0, 5}, {0, 3}};
  write_video<std::uint8_t>(path, domain, 2, {}, {30, 1});
  std::string expected = "YUV4MPEG2 W5 H3 F30:1 Ip A0:0 Cmono XCOLORRANGE=FULL\n";
  for (int frame = 0; frame < 2; ++frame) {
    expected += "FRAME\n";
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 5; ++x) expected += static_cast<char>(video_pixel<std::uint8_t>(frame, x, y, 0));
  }
  EXPECT_EQ(bytes_of(path), expected);

  write_video<std::uint16_t>(path, domain, 1, {}, {30, 1});
  expected = "YUV4MPEG2 W5 H3 F30:1 Ip A0:0 Cmono16 XCOLORRANGE=FULL\nFRAME\n";
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 5; ++x) {
      const auto sample = video_pixel<std::uint16_t>(0, x, y, 0);
      expected += static_cast<char>(sample & 255);
      expected += static_cast<char>(sample >> 8);
    }
  EXPECT_EQ(bytes_of(path), expected);
}

TEST_F(VideoWriting, FrameRatesAreKept) {
  for (const char* name : {"video.mkv", "video.y4m"})
    for (const io::FrameRate rate : {io::FrameRate{25, 1}, {1, 2}, {30000, 1001}, {999, 1}}) {
      write_video<std::uint8_t>(folder_ / name, grey_, 4, {}, rate);
      EXPECT_EQ(io::open_video(folder_ / name)->info().rate, rate) << name << " " << rate.numerator;
      EXPECT_EQ(read_video<std::uint8_t>(folder_ / name), 4);
    }
}

TEST_F(VideoWriting, ADomainNeedNotBeginAtTheOrigin) {
  const std::string path = folder_ / "video.mkv";
  OwnedBlock<std::uint8_t> block(Box{{5, 12}, {-3, 6}});
  block.for_each([](std::int64_t x, std::int64_t y, std::int64_t, std::uint8_t& value) {
    value = video_pixel<std::uint8_t>(0, x - 5, y + 3, 0);
  });
  const auto video = io::create_video(path, block.block().box, ElementType::uint8, {});
  io::VideoWriter& writer = *video;
  writer.write(block.block());
  writer.finish();
  EXPECT_EQ(read_video<std::uint8_t>(path), 1);
}

TEST_F(VideoWriting, BytesDoNotDependOnThreads) {
  for (const char* name : {"1.mkv", "2.mkv", "4.mkv"})
    write_video<std::uint16_t>(folder_ / name, rgb_, 6, {.threads = name[0] - '0'});
  EXPECT_EQ(bytes_of(folder_ / "1.mkv"), bytes_of(folder_ / "2.mkv"));
  EXPECT_EQ(bytes_of(folder_ / "1.mkv"), bytes_of(folder_ / "4.mkv"));
}

TEST_F(VideoWriting, UnfinishedVideosLeaveNoFile) {
  for (const char* name : {"video.mkv", "video.y4m"}) {
    const std::string path = folder_ / name;
    {
      const auto video = io::create_video(path, grey_, ElementType::uint8, {});
      io::VideoWriter& writer = *video;
      for (int frame = 0; frame < 3; ++frame) writer.write(video_frame<std::uint8_t>(grey_, frame).block());
      EXPECT_FALSE(std::filesystem::exists(path));
      EXPECT_EQ(folder_.files().size(), 1U);
    }
    EXPECT_EQ(folder_.files(), std::vector<std::string>{});
  }
}

TEST_F(VideoWriting, AVideoWithoutFramesIsRefused) {
  const std::string path = folder_ / "video.mkv";
  expect_file_error([&] { write_video<std::uint8_t>(path, grey_, 0); }, path,
                    {"frames before", "video ends"});
  EXPECT_EQ(folder_.files(), std::vector<std::string>{});
}

TEST_F(VideoWriting, WrongBlocksAndCallsAreInternalErrors) {
  const auto video = io::create_video(folder_ / "video.mkv", grey_, ElementType::uint8, {});
  io::VideoWriter& writer = *video;
  EXPECT_THROW(writer.write(video_frame<std::uint16_t>(grey_, 0).block()), InternalError);
  EXPECT_THROW(writer.write(video_frame<std::uint8_t>(Box{{0, 37}, {0, 22}}, 0).block()), InternalError);
  writer.write(video_frame<std::uint8_t>(grey_, 0).block());
  writer.finish();
  EXPECT_THROW(writer.write(video_frame<std::uint8_t>(grey_, 1).block()), InternalError);
  EXPECT_THROW(writer.finish(), InternalError);
  EXPECT_EQ(read_video<std::uint8_t>(folder_ / "video.mkv"), 1);
}

TEST_F(VideoWriting, AFullDiskIsAnErrorThatNamesTheFrame) {
  const Box large{{0, 100}, {0, 90}};
  for (const char* name : {"video.mkv", "video.y4m"}) {
    const std::string path = folder_ / name;
    const FullDisk full(40'000);
    expect_input_error([&] { write_video<std::uint8_t>(path, large, 40); },
                       {path + ": cannot be written at frame ",
                        ", counted from 0 (File too large); free some space, or choose another place"});
    EXPECT_EQ(folder_.files(), std::vector<std::string>{});
  }
}

TEST_F(VideoWriting, NamesThatDoNotFitAreRefused) {
  constexpr auto uint8 = ElementType::uint8;
  expect_refused("video.mov", grey_, uint8, {"ending names", "no format"});
  expect_refused("video.mp4", grey_, uint8, {"name for FFV1", "let it end"}, io::VideoCodec::ffv1);
  expect_refused("video.mkv", grey_, uint8, {"name for Y4M", "let it end"}, io::VideoCodec::y4m);
  expect_refused("video.y4m", grey_, uint8, {"name for H.264", "mp4 or .mkv"}, io::VideoCodec::h264);
}

TEST_F(VideoWriting, FramesThatDoNotFitAreRefused) {
  expect_refused("video.y4m", rgb_, ElementType::uint8, {"holds grey", "mkv file"});
  expect_refused("video.mkv", grey_, ElementType::float32, {"cannot hold", "write uint8"});
  expect_refused("video.mkv", Box{{0, 4}, {0, 4}, {0, 2}}, ElementType::uint8,
                 {"video cannot", "hold frames"});
  expect_refused("video.mkv", Box{{0, 9}, {0, 2}}, ElementType::uint8, {"FFV1 takes", "grey ones"});
  expect_refused("video.mp4", rgb_, ElementType::uint16, {"sample only", "mkv file"});
  expect_refused("video.mp4", rgb_, ElementType::uint8, {"H.264 takes", "even numbers"});
}

TEST_F(VideoWriting, RatesThatAreNotPositiveAreRefused) {
  const std::string path = folder_ / "video.mkv";
  for (const io::FrameRate rate : {io::FrameRate{0, 1}, {25, 0}, {-25, 1}, {std::int64_t{1} << 31, 1}}) {
    const std::string text = std::to_string(rate.numerator) + "/" + std::to_string(rate.denominator);
    expect_file_error([&] { io::create_video(path, grey_, ElementType::uint8, rate); }, path,
                      {text + " frames", "positive numbers"});
  }
  expect_file_error(
      [&] {
        io::create_video(path, grey_, ElementType::uint8, {5000, 1});
      },
      path, {"an .mkv file", "5000/1 frames"});
  EXPECT_EQ(folder_.files(), std::vector<std::string>{});
}

/// Frames of one colour each, which the loss of H.264 hardly changes.
TEST_F(VideoWriting, H264KeepsColoursAndTheOrderOfFrames) {
  const std::string path = folder_ / "video.mp4";
  const Box domain{{0, 64}, {0, 48}, {0, 3}};
  const auto sample = [](int frame, std::int64_t c) {
    return static_cast<std::uint8_t>(40 + 7 * frame + 30 * c);
  };
  const auto write = [&] {
    const auto video = io::create_video(path, domain, ElementType::uint8, {50, 1});
    io::VideoWriter& writer = *video;
    for (int frame = 0; frame < 20; ++frame) {
      OwnedBlock<std::uint8_t> block(domain);
      block.for_each(
          [&](std::int64_t, std::int64_t, std::int64_t c, std::uint8_t& value) { value = sample(frame, c); });
      writer.write(block.block());
    }
    writer.finish();
  };
  if (!has_h264_encoder()) {
    expect_input_error(write, {path + ": ", "lacks the encoder libx264"});
    return;
  }
  write();
  const auto video = io::open_video(path);
  io::VideoReader& reader = *video;
  EXPECT_EQ(reader.info().codec, "h264");
  EXPECT_EQ(reader.info().frames, 20);
  EXPECT_EQ(reader.info().rate, (io::FrameRate{50, 1}));
  OwnedBlock<std::uint8_t> block(domain);
  int frame = 0;
  for (; reader.read(block.block()); ++frame)
    for (const std::int64_t c : {0, 1, 2}) EXPECT_NEAR(block.at(30, 20, c), sample(frame, c), 3) << frame;
  EXPECT_EQ(frame, 20);
}

}  // namespace
}  // namespace tessera::io_test
