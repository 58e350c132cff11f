// SPDX-License-Identifier: BSD-3-Clause
// Every program but the blur's, as users start it.
#include <gtest/gtest.h>

#include <algorithm>

#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

/// A program, an image that it takes, and the name of its result.
struct Program {
  std::string application;
  SampleImage image;
  std::string result;
};

void PrintTo(const Program& program, std::ostream* stream) { *stream << program.application; }

const std::vector<Program> programs = {
    {"bilateral_grid", {"float32", 203, 131}, "smoothed"},
    {"camera_pipe", {"uint16", 160, 120, 0, 1023}, "sharpened"},
    {"convert", {"uint16", 203, 131, 3}, "converted"},
    {"equalize", {"uint16", 203, 131}, "equalized"},
    {"interpolate", {"float32", 203, 131, 4}, "interpolated"},
    {"life", {"uint8", 203, 131, 0, 2}, "board"},
    {"local_laplacian", {"uint16", 203, 131, 3}, "result"},
    {"resize", {"uint8", 203, 131, 3}, "resized"},
    {"restore", {"uint8", 203, 131}, "restored"},
    {"sobel", {"float32", 203, 131, 2}, "sobel"},
    {"transpose", {"uint16", 203, 131}, "transposed"},
    {"wavelet", {"float32", 203, 131}, "bands"},
};

/// Runs a program on `image.h5`; its result. `dataset` names that.
StoredResult result_of(const std::string& application, const std::string& dataset, int ranks,
                       const Folder& folder, const std::vector<std::string>& settings) {
  std::vector<std::string> words{"input.file=image.h5", "output.file=o.h5"};
  words.insert(words.end(), settings.begin(), settings.end());
  const ParallelEnding ending = run_on_ranks(program_of(application), ranks, folder, words);
  EXPECT_EQ(ending.status, 0) << ending.text();
  StoredResult result = read_result(folder / "o.h5", dataset);
  std::filesystem::remove(folder / "o.h5");
  return result;
}

class AllProgramsTest : public testing::TestWithParam<Program> {};

// All decks on all grids are rehearsed in one process, by tests/apps/same_bits_test.cpp, and run by
// tests/golden.
TEST_P(AllProgramsTest, SameBitsOnFourRanks) {
  const auto& [application, image, dataset] = GetParam();
  const Folder folder;
  write_sample(folder, "image.h5", image);
  const StoredResult expected = result_of(application, dataset, 1, folder, {"threads=1"});
  ASSERT_FALSE(expected.bytes.empty());
  const std::string deck = TESSERA_DECKS "/" + application + "/default.yaml";
  EXPECT_TRUE(result_of(application, dataset, 4, folder, {deck, "grid=[auto,auto]", "threads=2"}) ==
              expected);
  if (application == "life" || application == "restore") return;  // have loops
  EXPECT_TRUE(result_of(application, dataset, 3, folder, {"bands=4"}) == expected);
}

std::string name_of_test(const testing::TestParamInfo<Program>& info) { return info.param.application; }

INSTANTIATE_TEST_SUITE_P(Runs, AllProgramsTest, testing::ValuesIn(programs), name_of_test);

/// An image, and the shape of its result, slowest dimension first.
struct Shape {
  std::string application;
  SampleImage image;
  std::string type;
  std::vector<hsize_t> extents;
};

/// The shapes of the programs that take images of (x, y) and of (x, y, plane).
std::vector<Shape> planar_shapes() {
  std::vector<Shape> shapes;
  for (const char* type : {"uint8", "uint16", "float32"})
    for (const hsize_t planes : {0, 2, 3}) {
      const auto add = [&](const std::string& application, std::vector<hsize_t> extents) {
        if (planes > 0) extents.insert(extents.begin(), planes);
        shapes.push_back({application, {type, 40, 30, static_cast<int>(planes)}, type, extents});
      };
      add("resize", {39, 52});
      add("sobel", {30, 40});
      add("transpose", {40, 30});
      if (std::string_view(type) != "float32") add("equalize", {30, 40});
    }
  return shapes;
}

void expect_shape(const Shape& shape) {
  const auto program = std::find_if(programs.begin(), programs.end(), [&shape](const Program& each) {
    return each.application == shape.application;
  });
  SCOPED_TRACE(shape.application + " of " + shape.type + " with " + std::to_string(shape.image.planes) +
               " planes");
  const Folder folder;
  write_sample(folder, "image.h5", shape.image);
  const StoredResult result = result_of(shape.application, program->result, 1, folder, {"threads=1"});
  EXPECT_EQ(result.type, shape.type);
  EXPECT_EQ(result.extents, shape.extents);
}

TEST(ProgramShapesTest, PlanarImages) {
  for (const Shape& shape : planar_shapes()) expect_shape(shape);
}

TEST(ProgramShapesTest, OtherImages) {
  expect_shape({"bilateral_grid", {"float32"}, "float32", {30, 40}});
  expect_shape({"camera_pipe", {"uint16", 160, 120}, "uint8", {3, 96, 128}});
  expect_shape({"camera_pipe", {"uint16", 96, 56}, "uint8", {3, 32, 64}});
  for (const char* type : {"uint8", "uint16", "float32"})
    expect_shape({"interpolate", {type, 40, 30, 4}, "float32", {3, 30, 40}});
  expect_shape({"local_laplacian", {"uint16", 40, 30, 3}, "uint16", {3, 30, 40}});
  expect_shape({"resize", {"uint8", 4, 4}, "uint8", {5, 5}});
  expect_shape({"wavelet", {"float32"}, "float32", {2, 30, 20}});
  expect_shape({"wavelet", {"float32", 2, 1}, "float32", {2, 1, 1}});
}

TEST(ProgramKeysTest, ChangeTheResult) {
  const Folder folder;
  for (const auto& [application, setting, image] :
       {std::tuple{"bilateral_grid", "range_sigma=0.5", SampleImage{"float32"}},
        {"camera_pipe", "colour_temperature=6500", {"uint16", 160, 120, 0, 1023}},
        {"camera_pipe", "white_level=700", {"uint16", 160, 120, 0, 1023}},
        {"local_laplacian", "alpha=3", {"uint16", 40, 30, 3}},
        {"local_laplacian", "beta=0.5", {"uint16", 40, 30, 3}},
        {"local_laplacian", "pyramid_levels=2", {"uint16", 40, 30, 3}}}) {
    SCOPED_TRACE(setting);
    write_sample(folder, "image.h5", image);
    const auto result = std::find_if(programs.begin(), programs.end(), [&application = application](auto& p) {
                          return p.application == application;
                        })->result;
    const StoredResult standard = result_of(application, result, 1, folder, {"threads=1"});
    EXPECT_FALSE(result_of(application, result, 1, folder, {"threads=1", setting}) == standard);
    std::filesystem::remove(folder / "image.h5");
  }
}

TEST(ProgramKeysTest, FactorOfResize) {
  const Folder folder;
  write_sample(folder, "image.h5", {"uint8"});
  EXPECT_EQ(result_of("resize", "resized", 2, folder, {"threads=1", "factor=2.5"}).extents,
            (std::vector<hsize_t>{75, 100}));
}

TEST(ProgramKeysTest, LevelsThatThePyramidLacksAreRefused) {
  const Folder folder;
  write_sample(folder, "image.h5", {"uint16", 40, 30, 3});
  const ParallelEnding ending = run_on_ranks(
      program_of("local_laplacian"), 2, folder,
      {"input.file=image.h5", "output.file=o.h5", "pyramid_levels=3", "schedule.gray9.tile=[8,8]"});
  expect_refusal(ending, {"'schedule.gray9.tile=[8,8]':", "no stage matches 'gray9'"});
}

TEST(ProgramOutputsTest, PicturesOfWhatCanBeOne) {
  const Folder folder;
  write_sample(folder, "image.h5", {"uint16", 40, 30, 3});
  write_sample(folder, "raw.h5", {"uint16", 160, 120});
  const ParallelEnding laplacian =
      run_on_ranks(program_of("local_laplacian"), 3, folder,
                   {"input.file=image.h5", "output.png=l.png", "output.comparison=c.png", "threads=1"});
  EXPECT_EQ(laplacian.status, 0) << laplacian.text();
  const ParallelEnding camera = run_on_ranks(program_of("camera_pipe"), 3, folder,
                                             {"input.file=raw.h5", "output.png=r.png", "threads=1"});
  EXPECT_EQ(camera.status, 0) << camera.text();
  EXPECT_EQ(folder.names(), (std::set<std::string>{"image.h5", "raw.h5", "l.png", "c.png", "r.png"}));
}

}  // namespace
}  // namespace tessera::app_test
