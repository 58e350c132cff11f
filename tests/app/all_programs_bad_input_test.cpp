// SPDX-License-Identifier: BSD-3-Clause
// What every program but the blur's must refuse, besides what all have in common.
#include <gtest/gtest.h>

#include "io/io_test_support.hpp"
#include "program_calls.hpp"
#include "sample_images.hpp"

extern "C" {
int tessera_bilateral_grid_main(int argc, char** argv);
int tessera_camera_pipe_main(int argc, char** argv);
int tessera_equalize_main(int argc, char** argv);
int tessera_interpolate_main(int argc, char** argv);
int tessera_life_main(int argc, char** argv);
int tessera_local_laplacian_main(int argc, char** argv);
int tessera_resize_main(int argc, char** argv);
int tessera_sobel_main(int argc, char** argv);
int tessera_transpose_main(int argc, char** argv);
int tessera_wavelet_main(int argc, char** argv);
}

namespace tessera::app_test {
namespace {

using io_test::on_rank_0;
using io_test::SharedFolder;

const std::map<std::string, MainFunction*> programs = {{"bilateral_grid", tessera_bilateral_grid_main},
                                                       {"camera_pipe", tessera_camera_pipe_main},
                                                       {"equalize", tessera_equalize_main},
                                                       {"interpolate", tessera_interpolate_main},
                                                       {"life", tessera_life_main},
                                                       {"local_laplacian", tessera_local_laplacian_main},
                                                       {"resize", tessera_resize_main},
                                                       {"sobel", tessera_sobel_main},
                                                       {"transpose", tessera_transpose_main},
                                                       {"wavelet", tessera_wavelet_main}};

/// A run on an image that must be refused.
struct Refused {
  std::string name;
  std::string application;
  SampleImage image;
  /// Words of the message.
  std::vector<std::string> told;
  std::string setting = "threads=1";
  std::string output = "output.file=o.h5";
};

void PrintTo(const Refused& refused, std::ostream* stream) { *stream << refused.name; }

const std::vector<Refused> refused_images = {
    {"bilateral_grid_of_uint8",
     "bilateral_grid",
     {"uint8"},
     {"'input.file':", "40 x 30 of uint8", "one of float32", "without planes"}},
    {"bilateral_grid_of_colours",
     "bilateral_grid",
     {"float32", 40, 30, 3},
     {"'input.file':", "40 x 30 x 3 of float32", "one of float32", "without planes"}},
    {"camera_pipe_of_float32",
     "camera_pipe",
     {"float32", 160, 120},
     {"'input.file':", "160 x 120 of float32", "96 x 56 points"}},
    {"camera_pipe_of_few_rows",
     "camera_pipe",
     {"uint16", 96, 55},
     {"'input.file':", "96 x 55 of uint16", "96 x 56 points"}},
    {"camera_pipe_of_few_columns",
     "camera_pipe",
     {"uint16", 95, 56},
     {"'input.file':", "95 x 56 of uint16", "96 x 56 points"}},
    {"equalize_of_float32",
     "equalize",
     {"float32"},
     {"'input.file':", "40 x 30 of float32", "one of uint8 or uint16"}},
    {"interpolate_without_alpha",
     "interpolate",
     {"float32", 40, 30, 3},
     {"'input.file':", "40 x 30 x 3 of float32", "one of uint8"}},
    {"interpolate_of_int32",
     "interpolate",
     {"int32", 40, 30, 4},
     {"'input.file':", "40 x 30 x 4 of int32", "one of uint8"}},
    {"life_of_uint16",
     "life",
     {"uint16"},
     {"'input.file':", "40 x 30 of uint16", "one of uint8", "without planes"}},
    {"life_of_colours",
     "life",
     {"uint8", 40, 30, 3},
     {"'input.file':", "40 x 30 x 3 of uint8", "one of uint8", "without planes"}},
    {"local_laplacian_of_grey",
     "local_laplacian",
     {"uint16"},
     {"'input.file':", "40 x 30 of uint16", "one of uint8 or uint16", "with 3 planes"}},
    {"local_laplacian_of_float32",
     "local_laplacian",
     {"float32", 40, 30, 3},
     {"'input.file':", "40 x 30 x 3 of float32", "one of uint8 or uint16", "with 3 planes"}},
    {"resize_of_few_columns",
     "resize",
     {"uint8", 3, 30},
     {"'input.file':", "3 x 30 of uint8", "4 x 4 points"}},
    {"resize_of_few_rows",
     "resize",
     {"float32", 40, 3, 2},
     {"'input.file':", "40 x 3 x 2 of float32", "4 x 4 points"}},
    {"sobel_of_channels_last",
     "sobel",
     {"uint8", 3, 40, 30},
     {"'input.file':", "shape (30, 40, 3)", "the channels first"}},
    {"sobel_of_int32", "sobel", {"int32"}, {"'input.file':", "40 x 30 of int32", "one of uint8"}},
    {"transpose_of_int32", "transpose", {"int32"}, {"'input.file':", "40 x 30 of int32", "one of uint8"}},
    {"wavelet_of_one_column",
     "wavelet",
     {"float32", 1, 30},
     {"'input.file':", "1 x 30 of float32", "2 x 1 points"}},
};

const std::vector<Refused> refused_settings = {
    {"range_sigma",
     "bilateral_grid",
     {"float32"},
     {"'range_sigma' expects", "got '0.02'"},
     "range_sigma=0.02"},
    {"white_level",
     "camera_pipe",
     {"uint16", 160, 120},
     {"'white_level':", "give more than black_level"},
     "white_level=25"},
    {"colour_temperature",
     "camera_pipe",
     {"uint16", 160, 120},
     {"'colour_temperature' expects", "got '0'"},
     "colour_temperature=0"},
    {"period", "life", {"uint8"}, {"'period' expects", "got '65'"}, "period=65"},
    {"border", "life", {"uint8"}, {"'border' expects", "got 'clamp'"}, "border=clamp"},
    {"pyramid_levels",
     "local_laplacian",
     {"uint16", 40, 30, 3},
     {"'pyramid_levels' expects", "got '11'"},
     "pyramid_levels=11"},
    {"alpha", "local_laplacian", {"uint16", 40, 30, 3}, {"'alpha' expects", "got '-1'"}, "alpha=-1"},
    {"factor", "resize", {"uint8"}, {"'factor' expects", "got '0.5'"}, "factor=0.5"},
    {"factor_too_large", "resize", {"uint8"}, {"'factor' expects", "got '17'"}, "factor=17"},
    {"channels", "resize", {"uint8"}, {"'channels':", "40 samples", "not a multiple"}, "channels=3"},
    {"too_few_points_of_channels",
     "resize",
     {"uint8", 9, 30},
     {"'input.file':", "9 x 30 of uint8", "12 x 4 points"},
     "channels=3"},
    {"channels_of_planes",
     "resize",
     {"uint8", 40, 30, 3},
     {"'channels':", "the image has planes", "side by side"},
     "channels=4"},
};

const std::vector<Refused> refused_outputs = {
    {"picture_of_two_planes",
     "wavelet",
     {"float32"},
     {"o.png:", "1, 3 or 4 channels", "write HDF5 instead"},
     "threads=1",
     "output.png=o.png"},
    {"picture_of_samples_side_by_side",
     "resize",
     {"uint8", 39, 30},
     {"'output.png':", "samples side by side", "use output.file"},
     "channels=3",
     "output.png=o.png"},
    {"comparison_of_other_planes",
     "interpolate",
     {"float32", 40, 30, 4},
     {"'output.comparison':", "[0, 4) float32", "only equal ones"},
     "threads=1",
     "output.comparison=o.png"},
    {"comparison_of_other_sizes",
     "resize",
     {"uint8"},
     {"'output.comparison':", "[0, 39) uint8", "only equal ones"},
     "threads=1",
     "output.comparison=o.png"},
    {"comparison_of_two_planes",
     "sobel",
     {"uint8", 40, 30, 2},
     {"o.png:", "1, 3 or 4 channels", "write HDF5 instead"},
     "threads=1",
     "output.comparison=o.png"},
};

class AllProgramsBadInputTest : public testing::TestWithParam<Refused> {};

// One line, once, the same status everywhere, and nothing left behind.
TEST_P(AllProgramsBadInputTest, IsOneLineAndStatus2OnAllRanks) {
  const Refused& refused = GetParam();
  const SharedFolder folder;
  on_rank_0([&] { write_sample(folder / "image.h5", refused.image); });
  const ParallelEnding ending =
      call_on_ranks(programs.at(refused.application), program_name(refused.application), folder / "",
                    {"input.file=image.h5", refused.output, refused.setting});
  expect_refusal(ending, refused.told);
  EXPECT_EQ(folder.files(), std::vector<std::string>{"image.h5"});
}

std::string name_of_test(const testing::TestParamInfo<Refused>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Images, AllProgramsBadInputTest, testing::ValuesIn(refused_images), name_of_test);
INSTANTIATE_TEST_SUITE_P(Settings, AllProgramsBadInputTest, testing::ValuesIn(refused_settings),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Outputs, AllProgramsBadInputTest, testing::ValuesIn(refused_outputs), name_of_test);

}  // namespace
}  // namespace tessera::app_test
