// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "bad_input_files.hpp"
#include "io/io_test_support.hpp"
#include "program_calls.hpp"

extern "C" int tessera_blur_main(int argc, char** argv);

namespace tessera::app_test {
namespace {

using io_test::on_rank_0;
using io_test::ranks;
using io_test::SharedFolder;

ParallelEnding blur(const SharedFolder& folder, const std::vector<std::string>& words,
                    const Environment& environment = {}) {
  return call_on_ranks(tessera_blur_main, "tessera-blur", folder / "", words, environment);
}

/// A run that must be refused. `good.yaml` and `image.png` in its folder are fine.
struct BadInput {
  std::string name;
  std::vector<std::string> words;
  /// Words of the message; "<ranks>" stands for "1 rank" or "3 ranks".
  std::vector<std::string> message;
  Environment environment = {};
  /// --check finds it, too.
  bool can_be_checked = true;
};

void PrintTo(const BadInput& bad, std::ostream* stream) { *stream << bad.name; }

const std::vector<BadInput> bad_images = {
    {"missing_image", {"good.yaml", "input.file=missing.png"}, {"missing.png:", "no such file"}},
    {"image_is_a_folder", {"good.yaml", "input.file=folder"}, {"folder:", "is a directory"}},
    {"not_an_image", {"good.yaml", "input.file=text.png"}, {"text.png:", "is not an image that can be read"}},
    {"png_cut_in_its_header",
     {"good.yaml", "input.file=header.png"},
     {"header.png:", "damaged or truncated PNG"}},
    {"png_cut_in_its_data",
     {"good.yaml", "input.file=data.png"},
     {"data.png:", "damaged or truncated PNG"},
     {},
     false},
};

const std::vector<BadInput> bad_decks = {
    {"missing_deck", {"missing.yaml"}, {"missing.yaml:", "cannot open the deck"}},
    {"deck_is_a_list", {"list.yaml"}, {"list.yaml:1:1:", "a deck is a block of keys"}},
    {"deck_includes_itself", {"itself.yaml"}, {"itself.yaml:1:10: 'include':", "would include itself"}},
    {"unknown_key",
     {"unknown.yaml"},
     {"unknown.yaml:4:5:", "unknown key 'schedule.bh.compte'", "'schedule.bh.compute'"}},
    {"unknown_key_on_the_command_line",
     {"good.yaml", "input.fle=image.png"},
     {"unknown key 'input.fle'", "'input.file'"}},
    {"wrong_type", {"type.yaml"}, {"type.yaml:2:7: 'grid' expects", "got 'many'"}},
    {"negative_size", {"tile.yaml"}, {"tile.yaml:4:12: 'schedule.bv.tile' expects", "got '-4'"}},
    {"grid_does_not_fit_the_ranks",
     {"grid.yaml"},
     {"grid.yaml:2:7: 'grid':", "[2, 2]", "multiply to <ranks>:"}},
    {"grid_of_a_stage_does_not_fit_the_ranks",
     {"good.yaml", "schedule.bh.grid=[5,auto]"},
     {"'schedule.bh.grid':", "[5, auto]", "multiply to <ranks>:"}},
    {"illegal_compute_of_an_output",
     {"good.yaml", "schedule.bv.compute=tile"},
     {"'schedule.bv.compute' expects", "got 'tile'"}},
    {"image_as_a_deck",
     {"image.png", "output.png=o.png"},
     {"'image.png':", "no deck", "write input.file=image.png"}},
    {"image_of_another_name_as_a_deck",
     {"good.yaml", "picture"},
     {"'picture':", "no deck", "write input.file=picture"}},
    {"missing_image_as_a_deck",
     {"missing.JPG"},
     {"'missing.JPG':", "no deck", "write input.file=missing.JPG"}},
    {"blanks_around_the_equals_sign",
     {"input.file", "=", "image.png"},
     {"'input.file = image.png':", "are one word"}},
    {"size_without_a_unit", {"good.yaml", "memory=64"}, {"'memory' expects", "got '64'"}},
    {"raw_type_without_a_shape",
     {"good.yaml", "input.raw.type=uint16"},
     {"'input.raw.type':", "'input.raw.shape' is not given"}},
    {"raw_shape_of_one_extent",
     {"good.yaml", "input.raw.type=uint16", "input.raw.shape=[40]"},
     {"'input.raw.shape':", "write [rows, columns]", "in numbers"}},
    {"no_input", {"empty.yaml"}, {"empty.yaml:", "the key 'input.file'", "is required"}},
};

const std::vector<BadInput> bad_runs = {
    {"nothing_to_write", {"input.file=image.png"}, {"nothing to write", "output.comparison"}},
    {"unwritable_file", {"good.yaml", "output.file=nowhere/o.h5"}, {"nowhere/o.h5:", "cannot be written"}},
    {"unwritable_picture",
     {"good.yaml", "output.png=nowhere/o.png"},
     {"nowhere/o.png:", "cannot be written"}},
    {"output_is_a_folder",
     {"good.yaml", "output.file=folder"},
     {"folder:", "exists and is not a regular file"}},
    {"unwritable_comparison",
     {"good.yaml", "output.comparison=nowhere/o.png"},
     {"nowhere/o.png:", "cannot be written"}},
    {"one_file_for_two_outputs",
     {"good.yaml", "output.png=o.h5"},
     {"'output.png':", "output.file has the same name"}},
    {"hdf5_that_is_called_png",
     {"input.file=image.png", "output.file=o.png"},
     {"'output.file':", "o.png is a name for PNG"}},
    {"tiff_that_is_called_png",
     {"good.yaml", "output.tiff=folder/o.PNG"},
     {"'output.tiff':", "folder/o.PNG is a name for PNG"}},
    {"png_that_is_called_jpeg",
     {"good.yaml", "output.png=o.jpg"},
     {"'output.png':", "o.jpg is a name for JPEG"}},
    {"png_that_is_called_as_what_this_program_does_not_write",
     {"good.yaml", "output.png=o.rle"},
     {"'output.png':", "o.rle is a name for RLE"}},
    {"comparison_that_is_called_tiff",
     {"good.yaml", "output.comparison=c.tiff"},
     {"'output.comparison':", "c.tiff is a name for TIFF"}},
    {"levels_of_a_machine_that_is_not_there",
     {"good.yaml", "levels=machine", "--explain", "--ranks", "64"},
     {"'levels':", "machine is known only", "leave out --ranks"},
     {},
     false},
    {"unknown_option", {"good.yaml", "--frobnicate"}, {"not expected", "--frobnicate", "--help"}},
    {"bad_number_of_threads",
     {"good.yaml"},
     {"OMP_NUM_THREADS is 'many'", "from 1 to 512"},
     {{"OMP_NUM_THREADS", "many"}}},
    {"more_threads_than_a_rank_has",
     {"good.yaml"},
     {"OMP_NUM_THREADS is '99999'", "from 1 to 512"},
     {{"OMP_NUM_THREADS", "99999"}}},
    {"more_threads_in_the_deck_than_a_rank_has",
     {"good.yaml", "threads=4096"},
     {"'threads' expects", "got '4096'"}},
    {"unknown_instructions",
     {"good.yaml"},
     {"TESSERA_INSTRUCTIONS is 'mmx'", "give baseline"},
     {{"TESSERA_INSTRUCTIONS", "mmx"}}},
};

class BadInputTest : public testing::TestWithParam<BadInput> {};

std::string name_of_test(const testing::TestParamInfo<BadInput>& info) { return info.param.name; }

// One line, once, the same status everywhere, and nothing left behind; the same when it is only checked.
TEST_P(BadInputTest, IsOneLineAndStatus2OnAllRanks) {
  const SharedFolder folder;
  on_rank_0([&folder] { write_bad_input(folder / ""); });
  const auto before = folder.files();
  auto checked = GetParam().words;
  checked.emplace_back("--check");
  std::vector<std::vector<std::string>> runs = {GetParam().words};
  if (GetParam().can_be_checked) runs.push_back(checked);
  for (const auto& words : runs) {
    SCOPED_TRACE(words.back());
    const ParallelEnding ending = blur(folder, words, GetParam().environment);
    auto message = GetParam().message;
    for (std::string& word : message)
      word = test::replaced(word, "<ranks>", ranks() == 1 ? "1 rank" : std::to_string(ranks()) + " ranks");
    expect_refusal(ending, message);
    EXPECT_EQ(folder.files(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Images, BadInputTest, testing::ValuesIn(bad_images), name_of_test);
INSTANTIATE_TEST_SUITE_P(Decks, BadInputTest, testing::ValuesIn(bad_decks), name_of_test);
INSTANTIATE_TEST_SUITE_P(Runs, BadInputTest, testing::ValuesIn(bad_runs), name_of_test);

// Without this every test above could pass for another reason.
TEST(BadInputTest, TheGoodDeckRuns) {
  const SharedFolder folder;
  on_rank_0([&folder] { write_bad_input(folder / ""); });
  auto files = folder.files();
  const std::vector<int> done(static_cast<std::size_t>(ranks()), 0);
  const ParallelEnding checked = blur(folder, {"good.yaml", "--check", "threads=2"});
  EXPECT_EQ(checked.rank_statuses, done) << checked.text();
  EXPECT_NE(checked.text().find("checked for " + std::to_string(ranks()) + " rank"), std::string::npos)
      << checked.text();
  EXPECT_EQ(folder.files(), files);
  const ParallelEnding ending = blur(folder, {"good.yaml"});
  EXPECT_EQ(ending.rank_statuses, done) << ending.text();
  files.emplace_back("o.h5");
  std::ranges::sort(files);
  EXPECT_EQ(folder.files(), files);
}

}  // namespace
}  // namespace tessera::app_test
