// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "blur_runs.hpp"
#include "io/plain_png.hpp"

namespace tessera::app_test {
namespace {

using io_test::make_png;
using io_test::write_plain_png;

/// A run that must be refused. `good.yaml` and `image.png` in its folder are fine.
struct BadInput {
  std::string name;
  std::vector<std::string> words;
  /// What follows "tessera-blur: error: "; "<ranks>" stands for "1 rank" or "3 ranks".
  std::string message;
  Environment environment = {};
  /// --check finds it, too.
  bool can_be_checked = true;
};

void PrintTo(const BadInput& bad, std::ostream* stream) { *stream << bad.name; }

const std::vector<BadInput> bad_images = {
    {"missing_image",
     {"good.yaml", "input.file=missing.png"},
     "missing.png: no such file; give the path of a PNG, HDF5, TIFF, JPEG, FITS or RLE file"},
    {"image_is_a_folder",
     {"good.yaml", "input.file=folder"},
     "folder: is a directory; give the path of a PNG, HDF5, TIFF, JPEG, FITS or RLE file"},
    {"not_an_image",
     {"good.yaml", "input.file=text.png"},
     "text.png: is not an image that can be read (by its content neither PNG, HDF5, TIFF, JPEG, FITS nor "
     "RLE); "
     "convert "
     "it to "
     "one of "
     "them"},
    {"png_cut_in_its_header",
     {"good.yaml", "input.file=header.png"},
     "header.png: damaged or truncated PNG (the file ends too early); get a complete copy of the file"},
    {"png_cut_in_its_data",
     {"good.yaml", "input.file=data.png"},
     "data.png: damaged or truncated PNG (the file ends too early); get a complete copy of the file",
     {},
     false},
    {"grey_png_with_transparency",
     {"good.yaml", "input.file=alpha.png"},
     "alpha.png: has 2 channels (grey and transparency), but images of 1 channel (grey), 3 (RGB) or 4 (RGB "
     "and transparency) are supported; remove the alpha channel, or convert the image to RGB"},
};

const std::vector<BadInput> bad_decks = {
    {"missing_deck", {"missing.yaml"}, "missing.yaml: cannot open the deck: No such file or directory"},
    {"deck_is_a_list",
     {"list.yaml"},
     "list.yaml:1:1: a deck is a block of keys ('key: value' lines), got a list"},
    {"deck_includes_itself",
     {"itself.yaml"},
     "itself.yaml:1:10: 'include': 'itself.yaml' would include itself"},
    {"unknown_key",
     {"unknown.yaml"},
     "unknown.yaml:4:5: unknown key 'schedule.bh.compte'; did you mean 'schedule.bh.compute'?"},
    {"unknown_key_on_the_command_line",
     {"good.yaml", "input.fle=image.png"},
     "command line: 'input.fle=image.png': unknown key 'input.fle'; did you mean 'input.file'?"},
    {"wrong_type",
     {"type.yaml"},
     "type.yaml:2:7: 'grid' expects a list such as [1, auto] (at most 4 entries, each auto or an integer "
     "from 1 to 2147483647), got 'many'"},
    {"negative_size",
     {"tile.yaml"},
     "tile.yaml:4:12: 'schedule.bv.tile' expects auto, a list such as [4096, 32] (at most 4 integers from 1 "
     "to 2147483647), or {host: [4096, 32], device: auto} (points), got '-4'"},
    {"grid_does_not_fit_the_ranks",
     {"grid.yaml"},
     "grid.yaml:2:7: 'grid': the processor grid [2, 2] does not multiply to <ranks>: write [1, auto], "
     "start another number of ranks, or set 'idle' to allowed"},
    {"grid_of_a_stage_does_not_fit_the_ranks",
     {"good.yaml", "schedule.bh.grid=[5,auto]"},
     "command line: 'schedule.bh.grid=[5,auto]': 'schedule.bh.grid': the processor grid [5, auto] does not "
     "multiply to <ranks>: write [1, auto], start another number of ranks, or set 'idle' to allowed"},
    {"illegal_compute_of_an_output",
     {"good.yaml", "schedule.bv.compute=tile"},
     "command line: 'schedule.bv.compute=tile': 'schedule.bv.compute' expects one of distributed, auto, got "
     "'tile'"},
    {"image_as_a_deck",
     {"image.png", "output.png=o.png"},
     "command line: 'image.png': an image is no deck: write input.file=image.png"},
    {"image_of_another_name_as_a_deck",
     {"good.yaml", "picture"},
     "command line: 'picture': an image is no deck: write input.file=picture"},
    {"missing_image_as_a_deck",
     {"missing.JPG"},
     "command line: 'missing.JPG': an image is no deck: write input.file=missing.JPG"},
    {"blanks_around_the_equals_sign",
     {"input.file", "=", "image.png"},
     "command line: 'input.file = image.png': a key, '=' and its value are one word: write "
     "input.file=image.png"},
    {"size_without_a_unit",
     {"good.yaml", "memory=64"},
     "command line: 'memory=64': 'memory' expects a size with its unit, such as 64M, 96 MiB or 2 GB (K, M, "
     "G, "
     "T or KiB, MiB, GiB, TiB: powers of 1024; KB, MB, GB, TB: powers of 1000; or B), got '64'"},
    {"raw_type_without_a_shape",
     {"good.yaml", "input.raw.type=uint16"},
     "command line: 'input.raw.type=uint16': 'input.raw.type': 'input.raw.shape' is not given: give it, too"},
    {"raw_shape_of_one_extent",
     {"good.yaml", "input.raw.type=uint16", "input.raw.shape=[40]"},
     "command line: 'input.raw.shape=[40]': 'input.raw.shape': write [rows, columns] or [channels, rows, "
     "columns] in numbers"},
    {"no_input",
     {"empty.yaml"},
     "empty.yaml: the key 'input.file' is required: give it in the deck, or input.file=VALUE on the command "
     "line"},
};

const std::vector<BadInput> bad_runs = {
    {"nothing_to_write",
     {"input.file=image.png"},
     "nothing to write: give output.file, output.png, output.tiff, output.raw or output.comparison in the "
     "deck or as "
     "key=value"},
    {"unwritable_file",
     {"good.yaml", "output.file=nowhere/o.h5"},
     "nowhere/o.h5: cannot be written (No such file or directory); create its folder, or choose another that "
     "can be written"},
    {"unwritable_picture",
     {"good.yaml", "output.png=nowhere/o.png"},
     "nowhere/o.png: cannot be written (No such file or directory); create its folder, or choose another "
     "that "
     "can be written"},
    {"output_is_a_folder",
     {"good.yaml", "output.file=folder"},
     "folder: exists and is not a regular file; choose another output file"},
    {"unwritable_comparison",
     {"good.yaml", "output.comparison=nowhere/o.png"},
     "nowhere/o.png: cannot be written (No such file or directory); create its folder, or choose another "
     "that "
     "can be written"},
    {"one_file_for_two_outputs",
     {"good.yaml", "output.png=o.h5"},
     "command line: 'output.png=o.h5': 'output.png': output.file has the same name: give each a name of its "
     "own"},
    {"hdf5_that_is_called_png",
     {"input.file=image.png", "output.file=o.png"},
     "command line: 'output.file=o.png': 'output.file': o.png is a name for PNG: write output.png=o.png, or "
     "end "
     "it in .h5"},
    {"tiff_that_is_called_png",
     {"good.yaml", "output.tiff=folder/o.PNG"},
     "command line: 'output.tiff=folder/o.PNG': 'output.tiff': folder/o.PNG is a name for PNG: write "
     "output.png=folder/o.PNG, or end it in .tif"},
    {"png_that_is_called_jpeg",
     {"good.yaml", "output.png=o.jpg"},
     "command line: 'output.png=o.jpg': 'output.png': o.jpg is a name for JPEG, which is not written, but "
     "HDF5 "
     "(output.file), PNG (output.png), TIFF (output.tiff) and raw numbers (output.raw) are: end it in .png"},
    {"png_that_is_called_as_what_this_program_does_not_write",
     {"good.yaml", "output.png=o.rle"},
     "command line: 'output.png=o.rle': 'output.png': o.rle is a name for RLE, which is not written, but "
     "HDF5 "
     "(output.file), PNG (output.png), TIFF (output.tiff) and raw numbers (output.raw) are: end it in .png"},
    {"comparison_that_is_called_tiff",
     {"good.yaml", "output.comparison=c.tiff"},
     "command line: 'output.comparison=c.tiff': 'output.comparison': c.tiff is a name for TIFF: write "
     "output.tiff=c.tiff, or end it in .png"},
    {"levels_of_a_machine_that_is_not_there",
     {"good.yaml", "levels=machine", "--explain", "--ranks", "64"},
     "command line: 'levels=machine': 'levels': machine is known only of the ranks that run: leave out "
     "--ranks, or write flat",
     {},
     false},
    {"unknown_option",
     {"good.yaml", "--frobnicate"},
     "command line: The following argument was not expected: --frobnicate (--help lists the options)"},
    {"bad_number_of_threads",
     {"good.yaml"},
     "the environment variable OMP_NUM_THREADS is 'many': give a number of threads, from 1 to 512",
     {{"OMP_NUM_THREADS", "many"}}},
    {"more_threads_than_a_rank_has",
     {"good.yaml"},
     "the environment variable OMP_NUM_THREADS is '99999': give a number of threads, from 1 to 512",
     {{"OMP_NUM_THREADS", "99999"}}},
    {"more_threads_in_the_deck_than_a_rank_has",
     {"good.yaml", "threads=4096"},
     "command line: 'threads=4096': 'threads' expects an integer from 1 to 512, got '4096'"},
    {"unknown_instructions",
     {"good.yaml"},
     "the environment variable TESSERA_INSTRUCTIONS is 'mmx': give baseline, avx2 or avx512",
     {{"TESSERA_INSTRUCTIONS", "mmx"}}},
};

/// Fills a folder with what the runs above need.
void furnish(const Folder& folder) {
  const auto sample = [](auto x, auto y, int c) { return static_cast<int>(x * y * 37 + c) & 255; };
  write_plain_png(folder / "image.png", make_png(40, 30, PNG_COLOR_TYPE_RGB, 8, sample));
  write_plain_png(folder / "alpha.png", make_png(40, 30, PNG_COLOR_TYPE_GRAY_ALPHA, 8, sample));
  const std::string image = folder.read("image.png");
  folder.write("picture", image);
  folder.write("header.png", image.substr(0, 20));
  folder.write("data.png", image.substr(0, image.size() / 2));
  folder.write("text.png", "This is no picture, whatever its name says.\n");
  std::filesystem::create_directory(folder / "folder");
  const std::string files = "{input: {file: image.png}, output: {file: o.h5}";
  folder.write("good.yaml", files + "}\n");
  folder.write("unknown.yaml", "input: {file: image.png}\nschedule:\n  bh:\n    compte: tile\n");
  folder.write("type.yaml", "input: {file: image.png}\ngrid: many\n");
  folder.write("tile.yaml", "input: {file: image.png}\nschedule:\n  bv:\n    tile: [-4, 4]\n");
  folder.write("grid.yaml", "input: {file: image.png}\ngrid: [2, 2]\n");
  folder.write("list.yaml", "- input\n- output\n");
  folder.write("itself.yaml", "include: itself.yaml\n");
  folder.write("empty.yaml", "# no keys\n");
}

class BadInputTest : public testing::TestWithParam<BadInput> {};

std::string name_of_test(const testing::TestParamInfo<BadInput>& info) { return info.param.name; }

// One line, once, the same status everywhere, and nothing left behind; the same when it is only checked.
TEST_P(BadInputTest, IsOneLineAndStatus2OnAllRanks) {
  const Folder folder;
  furnish(folder);
  const auto before = folder.names();
  auto checked = GetParam().words;
  checked.emplace_back("--check");
  std::vector<std::pair<int, std::vector<std::string>>> runs = {{1, GetParam().words}, {3, GetParam().words}};
  if (GetParam().can_be_checked) runs.insert(runs.end(), {{1, checked}, {3, checked}});
  for (const auto& [ranks, words] : runs) {
    SCOPED_TRACE(std::to_string(ranks) + " " + words.back());
    const ParallelEnding ending = blur(ranks, folder, words, GetParam().environment);
    std::string message = "tessera-blur: error: " + GetParam().message;
    if (const auto at = message.find("<ranks>"); at != std::string::npos)
      message.replace(at, 7, ranks == 1 ? "1 rank" : "3 ranks");
    EXPECT_EQ(lines_with(ending.text(), "error:"), std::vector{message}) << ending.text();
    EXPECT_EQ(ending.status, 2);
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2));
    EXPECT_FALSE(ending.hung);
    EXPECT_EQ(folder.names(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Images, BadInputTest, testing::ValuesIn(bad_images), name_of_test);
INSTANTIATE_TEST_SUITE_P(Decks, BadInputTest, testing::ValuesIn(bad_decks), name_of_test);
INSTANTIATE_TEST_SUITE_P(Runs, BadInputTest, testing::ValuesIn(bad_runs), name_of_test);

// Without this every test above could pass for another reason.
TEST(BadInputTest, TheGoodDeckRuns) {
  const Folder folder;
  furnish(folder);
  const ParallelEnding checked = blur(3, folder, {"good.yaml", "--check", "threads=2"});
  EXPECT_EQ(checked.rank_statuses, (std::vector{0, 0, 0}));
  EXPECT_EQ(
      lines_with(checked.text(), "checked for 3 ranks x 2 threads: 4 messages of 480 bytes in all, ").size(),
      1U)
      << checked.text();
  EXPECT_FALSE(folder.names().contains("o.h5"));
  const ParallelEnding ending = blur(3, folder, {"good.yaml"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_EQ(ending.rank_statuses, (std::vector{0, 0, 0}));
  EXPECT_TRUE(folder.names().contains("o.h5"));
}

// Each process that the launcher of another MPI starts believes to be alone.
TEST(ForeignLauncherTest, IsRefusedByOneLine) {
  const Folder folder;
  furnish(folder);
  const auto before = folder.names();
  for (const char* process : {"0", "1"}) {
    SCOPED_TRACE(process);
    const Ending ending =
        blur_alone(folder, {"good.yaml"}, {{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", process}});
    EXPECT_EQ(ending.status, 2);
    EXPECT_EQ(ending.text(),
              *process == '1' ? ""
                              : "tessera-blur: error: the launcher started 2 processes, but MPI says there "
                                "is 1: start with the mpiexec of the MPI that this program was built with, "
                                "which is " TESSERA_LAUNCHER "\n");
    EXPECT_EQ(folder.names(), before);
  }
}

}  // namespace
}  // namespace tessera::app_test
