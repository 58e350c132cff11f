// SPDX-License-Identifier: BSD-3-Clause
// What every program but the blur's must refuse, besides what all have in common.
#include <gtest/gtest.h>

#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

/// A run on an image that must be refused.
struct Refused {
  std::string name;
  std::string application;
  SampleImage image;
  /// What follows "tessera-<application>: error: "; from "the image is" on, where it is about that.
  std::string message;
  std::string setting = "threads=1";
  std::string output = "output.file=o.h5";
};

void PrintTo(const Refused& refused, std::ostream* stream) { *stream << refused.name; }

const std::vector<Refused> refused_images = {
    {"bilateral_grid_of_uint8",
     "bilateral_grid",
     {"uint8"},
     "the image is 40 x 30 of uint8: give one of float32, without planes"},
    {"bilateral_grid_of_colours",
     "bilateral_grid",
     {"float32", 40, 30, 3},
     "the image is 40 x 30 x 3 of float32: give one of float32, without planes"},
    {"camera_pipe_of_float32",
     "camera_pipe",
     {"float32", 160, 120},
     "the image is 160 x 120 of float32: give one of uint16, without planes, with 96 x 56 points or more"},
    {"camera_pipe_of_few_rows",
     "camera_pipe",
     {"uint16", 96, 55},
     "the image is 96 x 55 of uint16: give one of uint16, without planes, with 96 x 56 points or more"},
    {"camera_pipe_of_few_columns",
     "camera_pipe",
     {"uint16", 95, 56},
     "the image is 95 x 56 of uint16: give one of uint16, without planes, with 96 x 56 points or more"},
    {"equalize_of_float32",
     "equalize",
     {"float32"},
     "the image is 40 x 30 of float32: give one of uint8 or uint16"},
    {"interpolate_without_alpha",
     "interpolate",
     {"float32", 40, 30, 3},
     "the image is 40 x 30 x 3 of float32: give one of uint8, uint16 or float32, with 4 planes"},
    {"interpolate_of_int32",
     "interpolate",
     {"int32", 40, 30, 4},
     "the image is 40 x 30 x 4 of int32: give one of uint8, uint16 or float32, with 4 planes"},
    {"life_of_uint16",
     "life",
     {"uint16"},
     "the image is 40 x 30 of uint16: give one of uint8, without planes"},
    {"life_of_colours",
     "life",
     {"uint8", 40, 30, 3},
     "the image is 40 x 30 x 3 of uint8: give one of uint8, without planes"},
    {"local_laplacian_of_grey",
     "local_laplacian",
     {"uint16"},
     "the image is 40 x 30 of uint16: give one of uint8 or uint16, with 3 planes"},
    {"local_laplacian_of_float32",
     "local_laplacian",
     {"float32", 40, 30, 3},
     "the image is 40 x 30 x 3 of float32: give one of uint8 or uint16, with 3 planes"},
    {"resize_of_few_columns",
     "resize",
     {"uint8", 3, 30},
     "the image is 3 x 30 of uint8: give one of uint8, uint16 or float32, with 4 x 4 points or more"},
    {"resize_of_few_rows",
     "resize",
     {"float32", 40, 3, 2},
     "the image is 40 x 3 x 2 of float32: give one of uint8, uint16 or float32, with 4 x 4 points or more"},
    {"sobel_of_int32",
     "sobel",
     {"int32"},
     "the image is 40 x 30 of int32: give one of uint8, uint16 or float32"},
    {"transpose_of_int32",
     "transpose",
     {"int32"},
     "the image is 40 x 30 of int32: give one of uint8, uint16 or float32"},
    {"wavelet_of_one_column",
     "wavelet",
     {"float32", 1, 30},
     "the image is 1 x 30 of float32: give one of float32, without planes, with 2 x 1 points or more"},
};

const std::vector<Refused> refused_settings = {
    {"range_sigma",
     "bilateral_grid",
     {"float32"},
     "command line: 'range_sigma=0.02': 'range_sigma' expects a number from 0.025 to 1, got '0.02'",
     "range_sigma=0.02"},
    {"white_level",
     "camera_pipe",
     {"uint16", 160, 120},
     "command line: 'white_level=25': 'white_level': give more than black_level, which is 25",
     "white_level=25"},
    {"colour_temperature",
     "camera_pipe",
     {"uint16", 160, 120},
     "command line: 'colour_temperature=0': 'colour_temperature' expects a number from 2000 to 10000 (K), "
     "got '0'",
     "colour_temperature=0"},
    {"period",
     "life",
     {"uint8"},
     "command line: 'period=65': 'period' expects an integer from 0 to 64, got '65'",
     "period=65"},
    {"border",
     "life",
     {"uint8"},
     "command line: 'border=clamp': 'border' expects one of dead, periodic, got 'clamp'",
     "border=clamp"},
    {"pyramid_levels",
     "local_laplacian",
     {"uint16", 40, 30, 3},
     "command line: 'pyramid_levels=11': 'pyramid_levels' expects an integer from 2 to 10, got '11'",
     "pyramid_levels=11"},
    {"alpha",
     "local_laplacian",
     {"uint16", 40, 30, 3},
     "command line: 'alpha=-1': 'alpha' expects a number of at least 0, got '-1'",
     "alpha=-1"},
    {"factor",
     "resize",
     {"uint8"},
     "command line: 'factor=0.5': 'factor' expects a number from 1 to 16, got '0.5'",
     "factor=0.5"},
    {"factor_too_large",
     "resize",
     {"uint8"},
     "command line: 'factor=17': 'factor' expects a number from 1 to 16, got '17'",
     "factor=17"},
    {"channels",
     "resize",
     {"uint8"},
     "command line: 'channels=3': 'channels': the rows of the image have 40 samples, no multiple of it",
     "channels=3"},
    {"too_few_points_of_channels",
     "resize",
     {"uint8", 9, 30},
     "the image is 9 x 30 of uint8: give one of uint8, uint16 or float32, with 12 x 4 points or more",
     "channels=3"},
    {"channels_of_planes",
     "resize",
     {"uint8", 40, 30, 3},
     "command line: 'channels=4': 'channels': the image has planes: leave it out, as their samples do not "
     "lie "
     "side by side",
     "channels=4"},
};

const std::vector<Refused> refused_outputs = {
    {"picture_of_two_planes",
     "wavelet",
     {"float32"},
     "o.png: PNG holds images of 1, 3 or 4 channels, not [0, 20) x [0, 30) x [0, 2); write HDF5 instead",
     "threads=1",
     "output.png=o.png"},
    {"picture_of_samples_side_by_side",
     "resize",
     {"uint8", 39, 30},
     "command line: 'output.png=o.png': 'output.png': a picture of samples side by side would be grey and "
     "too "
     "wide: use output.file",
     "channels=3",
     "output.png=o.png"},
    {"comparison_of_other_planes",
     "interpolate",
     {"float32", 40, 30, 4},
     "command line: 'output.comparison=o.png': 'output.comparison': the image is [0, 40) x [0, 30) x [0, 4) "
     "float32, but the result [0, 40) x [0, 30) x [0, 3) float32: only equal ones can be compared, so leave "
     "it out",
     "threads=1",
     "output.comparison=o.png"},
    {"comparison_of_other_sizes",
     "resize",
     {"uint8"},
     "command line: 'output.comparison=o.png': 'output.comparison': the image is [0, 40) x [0, 30) uint8, "
     "but the result [0, 52) x [0, 39) uint8: only equal ones can be compared, so leave it out",
     "threads=1",
     "output.comparison=o.png"},
    {"comparison_of_two_planes",
     "sobel",
     {"uint8", 40, 30, 2},
     "o.png: PNG holds images of 1, 3 or 4 channels, not [0, 40) x [0, 30) x [0, 2); write HDF5 instead",
     "threads=1",
     "output.comparison=o.png"},
};

class AllProgramsBadInputTest : public testing::TestWithParam<Refused> {};

// One line, once, the same status everywhere, and nothing left behind.
TEST_P(AllProgramsBadInputTest, IsOneLineAndStatus2OnAllRanks) {
  const Refused& refused = GetParam();
  const Folder folder;
  write_sample(folder, "image.h5", refused.image);
  std::string message = program_name(refused.application) + ": error: ";
  if (refused.message.starts_with("the image is"))
    message += "command line: 'input.file=image.h5': 'input.file': ";
  message += refused.message;
  for (const int ranks : {1, 3}) {
    SCOPED_TRACE(ranks);
    const ParallelEnding ending = run_on_ranks(program_of(refused.application), ranks, folder,
                                               {"input.file=image.h5", refused.output, refused.setting});
    EXPECT_EQ(lines_with(ending.text(), "error:"), std::vector{message}) << ending.text();
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2));
    EXPECT_EQ(ending.status, 2);
    EXPECT_EQ(folder.names(), std::set<std::string>{"image.h5"});
  }
}

std::string name_of_test(const testing::TestParamInfo<Refused>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Images, AllProgramsBadInputTest, testing::ValuesIn(refused_images), name_of_test);
INSTANTIATE_TEST_SUITE_P(Settings, AllProgramsBadInputTest, testing::ValuesIn(refused_settings),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Outputs, AllProgramsBadInputTest, testing::ValuesIn(refused_outputs), name_of_test);

}  // namespace
}  // namespace tessera::app_test
