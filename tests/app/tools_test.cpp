// SPDX-License-Identifier: BSD-3-Clause
// The programs that draw, convert and compare images.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "messages.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

class ToolsTest : public testing::Test {
 protected:
  ParallelEnding run(const std::string& application, int ranks, std::vector<std::string> words) const {
    words.emplace_back("threads=1");
    return run_on_ranks(program_of(application), ranks, folder_, words);
  }
  void expect_done(const std::string& application, int ranks, const std::vector<std::string>& words) const {
    const ParallelEnding ending = run(application, ranks, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
  }
  /// Returns what a program writes as raw numbers.
  std::string raw(const std::string& application, int ranks, std::vector<std::string> words) const {
    std::filesystem::remove(folder_ / "o.raw");
    words.emplace_back("output.raw=o.raw");
    expect_done(application, ranks, words);
    return folder_.read("o.raw");
  }
  /// On all ranks this status and one line, and nothing new in the folder.
  void expect_ended(int status, const std::string& application, const std::vector<std::string>& words,
                    const std::vector<std::string>& told,
                    test::SourceLine caller = test::SourceLine::here()) const {
    const auto before = folder_.names();
    for (const int ranks : {1, 3}) {
      const ParallelEnding ending = run(application, ranks, words);
      test::expect_message(ending.errors, told, caller);
      EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), status));
      EXPECT_EQ(folder_.names(), before);
    }
  }
  template <class T>
  void write_numbers(const std::string& name, const std::vector<T>& values) const {
    folder_.write(name, bytes_of(values));
  }
  template <class T>
  static std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
  }
  /// The keys for such a file.
  static std::vector<std::string> raw_input(const std::string& name, const std::string& type,
                                            std::size_t count, const std::string& image = "input") {
    return {image + ".file=" + name, image + ".raw.type=" + type,
            image + ".raw.shape=[1, " + std::to_string(count) + "]"};
  }

  Folder folder_;
};

class GenerateTest : public ToolsTest {};
class ConvertTest : public ToolsTest {};

TEST_F(GenerateTest, TheSameBitsOnEveryGrid) {
  for (const auto& [kind, image] :
       {std::pair{"stars", std::vector<std::string>{"type=float32", "channels=2"}},
        {"zone_plate", {"type=uint16"}},
        {"noise", {"type=float32", "noise.longest=64"}},
        {"checkerboard", {"type=uint8", "channels=3", "checkerboard.size=5"}}}) {
    SCOPED_TRACE(kind);
    std::vector<std::string> words = image;
    words.insert(words.end(), {std::string("kind=") + kind, "width=93", "height=71"});
    const std::string expected = raw("generate", 1, words);
    ASSERT_GE(expected.size(), 93U * 71U);
    for (const auto& [ranks, grid, tile] :
         {std::tuple{2, "[2,1]", "[16, 4]"}, {3, "[1,3]", "auto"}, {4, "[2,2]", "[7, 50]"}}) {
      std::vector<std::string> cut = words;
      cut.insert(cut.end(), {std::string("grid=") + grid, std::string("schedule.image.tile=") + tile});
      EXPECT_TRUE(raw("generate", ranks, cut) == expected) << ranks << " ranks, tiles " << tile;
    }
  }
}

TEST_F(GenerateTest, ASeedChangesStarsAndNoise) {
  for (const char* kind : {"kind=stars", "kind=noise"}) {
    const std::vector<std::string> size{kind, "width=64", "height=64"};
    const std::string one = raw("generate", 1, size);
    EXPECT_TRUE(raw("generate", 1, {kind, "width=64", "height=64", "seed=1"}) == one);
    EXPECT_FALSE(raw("generate", 1, {kind, "width=64", "height=64", "seed=2"}) == one);
  }
}

TEST_F(GenerateTest, RefusesWhatItCannotDraw) {
  expect_ended(2, "generate", {"stars.width=6.5", "output.raw=o.raw"},
               {"'stars.width':", "a star would reach", "at most 6.4"});
  expect_ended(2, "generate", {"kind=noise", "noise.longest=48", "output.raw=o.raw"},
               {"'noise.longest':", "give a power of 2"});
  expect_ended(2, "generate", {"kind=noise"}, {"nothing to write", "output.tiff or output.raw"});
}

// Through all formats and back, on other ranks each time.
TEST_F(ConvertTest, ARoundTripKeepsEveryByte) {
  const std::string deck = TESSERA_DECKS "/convert/default.yaml";
  expect_done("generate", 2, {"type=uint16", "channels=3", "width=90", "height=64", "output.png=a.png"});
  expect_done("convert", 1, {deck, "input.file=a.png", "output.tiff=a.tif"});
  expect_done("convert", 2, {deck, "input.file=a.tif", "output.file=a.h5", "output.xdmf=a.xdmf"});
  expect_done("convert", 3, {deck, "input.file=a.h5", "output.raw=a.raw", "grid=[auto,auto]"});
  expect_done(
      "convert", 4,
      {"input.file=a.raw", "input.raw.shape=[3, 64, 90]", "input.raw.type=uint16", "output.png=b.png"});
  EXPECT_FALSE(folder_.read("a.png").empty());
  EXPECT_TRUE(folder_.read("a.png") == folder_.read("b.png"));
  EXPECT_EQ(folder_.read("a.raw").size(), 3U * 64 * 90 * 2);
  EXPECT_EQ(folder_.names(), (std::set<std::string>{"a.png", "a.tif", "a.h5", "a.xdmf", "a.raw", "b.png"}));
}

TEST_F(ConvertTest, ArraysMayHaveFourDimensions) {
  std::vector<std::uint16_t> values(2 * 3 * 5 * 7);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i * 311);
  write_numbers("a.raw", values);
  const std::string raw_shape = "input.raw.shape=[2, 3, 5, 7]", raw_type = "input.raw.type=uint16";
  expect_done("convert", 2,
              {"input.file=a.raw", raw_shape, raw_type, "output.file=a.h5", "output.chunks=[4]"});
  EXPECT_EQ(read_result(folder_ / "a.h5", "converted").extents, (std::vector<hsize_t>{2, 3, 5, 7}));
  expect_done("convert", 3, {"input.file=a.h5", "output.raw=b.raw", "grid=[auto,auto]", "bands=2"});
  EXPECT_TRUE(folder_.read("a.raw") == folder_.read("b.raw"));
  expect_done("compare", 2,
              {"input.file=a.raw", raw_shape, raw_type, "other.file=a.h5", "tolerance.maximum=0"});
  expect_ended(2, "convert", {"input.file=a.h5", "output.file=b.h5", "output.xdmf=b.xdmf"},
               {"'output.xdmf':", "no grids of 4 dimensions"});
  expect_ended(2, "blur", {"input.file=a.h5", "output.file=b.h5"},
               {"'input.file':", "the image has 4 dimensions"});
}

TEST_F(ConvertTest, IntegersAreRoundedAndEndAtTheirLimits) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{-infinity, -200, -1.5F,   -0.4F, 0.5F,     1.49F,
                                  2.5F,      255,  256.75F, 3e9F,  infinity, std::nanf("")};
  write_numbers("f.raw", values);
  const auto convert = [&](const std::string& type, const std::string& scale = "1") {
    std::vector<std::string> words = raw_input("f.raw", "float32", values.size());
    words.insert(words.end(), {"type=" + type, "scale=" + scale});
    return raw("convert", 2, words);
  };
  constexpr auto least = std::numeric_limits<std::int32_t>::lowest(), most = std::numeric_limits<int>::max();
  constexpr auto below = std::numeric_limits<std::int64_t>::lowest();
  constexpr auto above = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(convert("uint8"), bytes_of<std::uint8_t>({0, 0, 0, 0, 1, 1, 3, 255, 255, 255, 255, 0}));
  EXPECT_EQ(convert("int8"), bytes_of<std::int8_t>({-128, -128, -2, 0, 1, 1, 3, 127, 127, 127, 127, 0}));
  EXPECT_EQ(convert("int32", "2"),
            bytes_of<std::int32_t>({least, -400, -3, -1, 1, 3, 5, 510, 514, most, most, 0}));
  EXPECT_EQ(convert("int64"),
            bytes_of<std::int64_t>({below, -200, -2, 0, 1, 1, 3, 255, 257, 3'000'000'000, above, 0}));
  EXPECT_EQ(convert("same"), bytes_of(values));
}

TEST_F(ConvertTest, KeepsIntegersThatAreNoDoubles) {
  const std::vector<std::uint64_t> values{0, (std::uint64_t{1} << 53) + 1, ~std::uint64_t{0}};
  write_numbers("u.raw", values);
  EXPECT_EQ(raw("convert", 1, raw_input("u.raw", "uint64", values.size())), bytes_of(values));
}

class CompareTest : public ToolsTest {
 protected:
  /// The line of numbers of a comparison of two raw files.
  template <class T>
  std::string numbers(const std::string& type, const std::vector<T>& a, const std::vector<T>& b,
                      std::vector<std::string> words = {}, int ranks = 2) const {
    write_numbers("a.raw", a);
    write_numbers("b.raw", b);
    for (const auto& more : {raw_input("a.raw", type, a.size()), raw_input("b.raw", type, b.size(), "other")})
      words.insert(words.end(), more.begin(), more.end());
    const ParallelEnding ending = run("compare", ranks, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    const auto lines = lines_with(ending.output, "maximum ");
    return lines.empty() ? ending.text() : lines.back();
  }
};

TEST_F(CompareTest, TellsHowFarImagesAreApart) {
  using Byte = std::uint8_t;
  EXPECT_EQ(numbers<Byte>("uint8", {1, 2, 3, 4}, {1, 2, 3, 4}), "maximum 0, mean 0, psnr inf, differing 0");
  // 10 log10(255^2 / (255^2 / 4))
  EXPECT_EQ(numbers<Byte>("uint8", {0, 2, 3, 4}, {255, 2, 3, 4}),
            "maximum 255, mean 63.75, psnr 6.0206, differing 1");
  EXPECT_EQ(numbers<std::int8_t>("int8", {-128, 0}, {127, 1}),
            "maximum 255, mean 128, psnr 3.01023, differing 2");
  EXPECT_EQ(numbers<float>("float32", {0, 0.5F}, {0.25F, 0.5F}),
            "maximum 0.25, mean 0.125, psnr 15.0515, differing 1");
  EXPECT_EQ(numbers<float>("float32", {0, 0.5F}, {0.25F, 0.5F}, {"peak=10"}),
            "maximum 0.25, mean 0.125, psnr 35.0515, differing 1");
  constexpr auto least = std::numeric_limits<std::int64_t>::lowest();
  EXPECT_EQ(numbers<std::int64_t>("int64", {least, least + 1}, {least + 1, least + 1}).substr(0, 19),
            "maximum 1, mean 0.5");
}

TEST_F(CompareTest, NanEqualsNanOnly) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(numbers<float>("float32", {nan, infinity, 1}, {nan, infinity, 1}),
            "maximum 0, mean 0, psnr inf, differing 0");
  EXPECT_EQ(numbers<float>("float32", {nan, 2, 1}, {0, 2, 1}),
            "maximum inf, mean inf, psnr -inf, differing 1");
}

TEST_F(CompareTest, TheSameNumbersOnEveryGrid) {
  write_sample(folder_, "a.h5", {"float32", 93, 71, 2});
  expect_done("convert", 2, {"input.file=a.h5", "scale=0.9", "output.file=b.h5"});
  std::set<std::string> reports;
  for (const auto& [ranks, grid] : {std::pair{1, "[1, 1]"}, {2, "[2, 1]"}, {3, "[1, 3]"}, {4, "[2, 2]"}}) {
    expect_done("compare", ranks,
                {TESSERA_DECKS "/compare/default.yaml", "input.file=a.h5", "other.file=b.h5",
                 std::string("grid=") + grid, "tolerance.maximum=1", "--report", "r.json"});
    const std::string report = folder_.read("r.json");
    const std::size_t begin = report.find("\"numbers\"");
    ASSERT_NE(begin, std::string::npos) << report;
    reports.insert(report.substr(begin, report.find('}', begin) - begin));
  }
  EXPECT_EQ(reports.size(), 1U);
}

TEST_F(CompareTest, BeyondAToleranceTheStatusIs1) {
  write_numbers<std::uint8_t>("a.raw", {10, 20, 30, 40});
  write_numbers<std::uint8_t>("b.raw", {10, 23, 30, 41});
  std::vector<std::string> images = raw_input("a.raw", "uint8", 4);
  for (const std::string& word : raw_input("b.raw", "uint8", 4, "other")) images.push_back(word);
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), images.begin(), images.end());
    words.emplace_back("--quiet");
    return words;
  };
  expect_done("compare", 3, with({}));
  expect_done(
      "compare", 3,
      with({"tolerance.maximum=3", "tolerance.mean=1", "tolerance.psnr=44.1", "tolerance.differing=2"}));
  expect_ended(1, "compare", with({"tolerance.maximum=2.5"}),
               {"the greatest difference is 3", "tolerance.maximum"});
  expect_ended(1, "compare", with({"tolerance.mean=0.5", "tolerance.psnr=50", "tolerance.differing=1"}),
               {"the mean difference is 1", "44.1514035", "tolerance.differing"});
  EXPECT_EQ(raw("compare", 2, with({})), bytes_of<float>({0, 3, 0, 1}));
}

TEST_F(CompareTest, WhatCannotBeComparedIsBadInput) {
  write_sample(folder_, "a.h5", {"uint8"});
  write_sample(folder_, "b.h5", {"uint16"});
  write_sample(folder_, "c.h5", {"uint8", 40, 31});
  const auto expect_refused = [&](const std::string& other, const std::string& what) {
    expect_ended(2, "compare", {"input.file=a.h5", "other.file=" + other},
                 {"'other.file':", "the image is " + what, "give one of the same extents"});
  };
  expect_refused("b.h5", "[0, 40) x [0, 30) of uint16");
  expect_refused("c.h5", "[0, 40) x [0, 31) of uint8");
  expect_ended(2, "compare", {"input.file=a.h5"}, {"the key 'other.file'", "is required"});
}

}  // namespace
}  // namespace tessera::app_test
