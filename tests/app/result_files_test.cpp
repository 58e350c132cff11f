// SPDX-License-Identifier: BSD-3-Clause
// What lies beside the pixels of a result.
#include <gtest/gtest.h>

#include "blur_runs.hpp"
#include "io/plain_hdf5.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

class ResultFilesTest : public testing::Test {
 protected:
  ResultFilesTest() {
    write_sample(folder_, "image.h5", {.type = "uint8", .planes = 3});
    folder_.write("run.yaml", "input: {file: image.h5}\nthreads: 1\noutput: {file: o.h5}\n");
  }

  std::string text(const std::string& name, const std::string& file = "o.h5") const {
    return io_test::plain_text_attribute(folder_ / file, name);
  }

  /// By both ranks, about a word of the command line, and nothing new in the folder.
  void expect_refused(const std::vector<std::string>& words, const std::vector<std::string>& told,
                      test::SourceLine caller = test::SourceLine::here()) const {
    const auto before = folder_.names();
    const ParallelEnding ending = blur(2, folder_, words);
    expect_refusal(ending, told, caller);
    EXPECT_EQ(ending.output, "");
    EXPECT_EQ(folder_.names(), before);
  }

  Folder folder_;
};

TEST_F(ResultFilesTest, TellHowTheyCameAbout) {
  const ParallelEnding ending = blur(2, folder_, {"run.yaml", "grid=[2,auto]"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_EQ(text("program"), "tessera-blur");
  EXPECT_EQ(lines_with(ending.output, "tessera-blur " + text("version") + ": 2 ranks x 1 thread").size(), 1U)
      << ending.output;
  EXPECT_NE(text("libraries").find("Kokkos "), std::string::npos) << text("libraries");
  EXPECT_EQ(text("grid"), "[2, 1]");
  EXPECT_NE(text("steps").find("compute "), std::string::npos) << text("steps");
  EXPECT_EQ(io_test::plain_number_attribute<std::int64_t>(folder_ / "o.h5", "ranks", H5T_NATIVE_INT64), 2);
  EXPECT_EQ(
      io_test::plain_number_attribute<std::int64_t>(folder_ / "o.h5", "threads_per_rank", H5T_NATIVE_INT64),
      1);
}

TEST_F(ResultFilesTest, HoldADeckThatRunsAgain) {
  EXPECT_EQ(blur(1, folder_, {"run.yaml", "output.file=first.h5", "schedule.bh.compute=tile"}).status, 0);
  folder_.write("again.yaml", text("deck", "first.h5"));
  const ParallelEnding ending = blur(2, folder_, {"again.yaml", "output.file=second.h5"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_TRUE(read_result(folder_ / "first.h5", "bv") == read_result(folder_ / "second.h5", "bv"));
  EXPECT_NE(text("deck", "second.h5").find("compute: tile"), std::string::npos) << text("deck", "second.h5");
}

TEST_F(ResultFilesTest, AnXdmfFileNamesTheArrays) {
  const ParallelEnding ending = blur(2, folder_, {"run.yaml", "output.xdmf=o.xdmf"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_EQ(lines_with(ending.output, "wrote o.xdmf").size(), 1U) << ending.output;
  const std::string xdmf = folder_.read("o.xdmf");
  EXPECT_EQ(
      lines_with(xdmf, "Dimensions=\"3 30 40\" NumberType=\"UChar\" Precision=\"1\" Format=\"HDF\">o.h5:/bv<")
          .size(),
      3U)
      << xdmf;
}

TEST_F(ResultFilesTest, AnXdmfFileNeedsAnHdf5FileAndANameOfItsOwn) {
  expect_refused({"input.file=image.h5", "output.png=o.png", "output.xdmf=o.xdmf"},
                 {"'output.xdmf':", "it is about the HDF5 file"});
  expect_refused({"run.yaml", "output.xdmf=o.h5"}, {"'output.xdmf':", "output.file has the same name"});
}

// The scratch image of a blur is one of its own, wherever it is computed and however it is stored.
TEST_F(ResultFilesTest, HoldTheStagesThatTheDeckNames) {
  EXPECT_EQ(blur(1, folder_, {"run.yaml", "output.stages=[bh]"}).status, 0);
  const StoredResult scratch = read_result(folder_ / "o.h5", "bh"),
                     result = read_result(folder_ / "o.h5", "bv");
  EXPECT_EQ(scratch.extents, (std::vector<hsize_t>{3, 32, 40}));
  EXPECT_EQ(io_test::plain_list_attribute(folder_ / "o.h5", "bh", "origin"),
            (std::vector<std::int64_t>{0, -1, 0}));
  EXPECT_FALSE(scratch.bytes == result.bytes);
  EXPECT_EQ(blur(1, folder_, {"run.yaml"}).status, 0);
  EXPECT_TRUE(read_result(folder_ / "o.h5", "bv") == result);
  EXPECT_TRUE(read_result(folder_ / "o.h5", "bh").extents.empty());
  const std::vector<std::vector<std::string>> schedules = {{"grid=[2,auto]", "output.compression=1"},
                                                           {"bands=4", "output.chunks=[16, auto, 3]"},
                                                           {"schedule.bh.grid=[auto,1]", "slices=balanced"}};
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    std::vector<std::string> words{"run.yaml", "output.stages=[bh]"};
    words.insert(words.end(), schedules[i].begin(), schedules[i].end());
    const ParallelEnding ending = blur(static_cast<int>(i) + 2, folder_, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_TRUE(read_result(folder_ / "o.h5", "bh") == scratch) << schedules[i].front();
    EXPECT_TRUE(read_result(folder_ / "o.h5", "bv") == result) << schedules[i].front();
  }
}

// Tables and planes are there as a whole, whichever of them the corners of the result read.
TEST_F(ResultFilesTest, HoldAllPointsThatTheResultNeeds) {
  const ParallelEnding ending = run_on_ranks(
      program_of("resize"), 3, folder_,
      {"input.file=image.h5", "output.file=o.h5", "output.stages=[weights_x, wide]", "threads=1"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  const auto result = read_result(folder_ / "o.h5", "output").extents;
  const auto weights = read_result(folder_ / "o.h5", "weights_x").extents;
  ASSERT_EQ(weights.size(), 2U);
  EXPECT_EQ(weights.front(), 4U);
  EXPECT_EQ(read_result(folder_ / "o.h5", "wide").extents, (std::vector<hsize_t>{3, 30, 52}));
}

// The histogram of a band is none: it comes when all bands are there, a pass before the result.
TEST_F(ResultFilesTest, HoldReductionsThatTheDeckNames) {
  const std::vector<std::string> words{"input.file=image.h5", "output.file=o.h5", "output.stages=[counts]",
                                       "threads=1"};
  const auto counts = [&](int ranks, const std::string& word) {
    std::vector<std::string> all = words;
    all.push_back(word);
    const ParallelEnding ending = run_on_ranks(program_of("equalize"), ranks, folder_, all);
    EXPECT_EQ(ending.status, 0) << ending.text();
    return read_result(folder_ / "o.h5", "counts");
  };
  const StoredResult whole = counts(1, "grid=[1,auto]");
  EXPECT_EQ(whole.extents.size(), 1U);
  EXPECT_TRUE(counts(3, "output.compression=2") == whole);
  EXPECT_TRUE(counts(2, "bands=3") == whole);
}

TEST_F(ResultFilesTest, WhatIsAboutHdf5NeedsIt) {
  for (const std::string word : {"output.stages=[bh]", "output.chunks=[auto, 8]", "output.compression=1"})
    expect_refused({"input.file=image.h5", "output.png=o.png", word},
                   {"'" + word.substr(0, word.find('=')) + "':", "is about the HDF5 file"});
  expect_refused({"run.yaml", "output.stages=[bv]"}, {"'output.stages':", "'bv' is the output"});
  expect_refused({"run.yaml", "output.stages=[bw]"}, {"'output.stages':", "no stage 'bw'", "'bh'?"});
}

TEST_F(ResultFilesTest, StagesThatCannotBeWrittenAreRefusedWithTheReason) {
  expect_refused({"run.yaml", "output.stages=[input]"}, {"'output.stages':", "'input' is an input"});
  for (const std::string way : {"tile", "window", "rank", "replicated"})
    expect_refused({"run.yaml", "output.stages=[bh]", "schedule.bh.compute=" + way},
                   {"'output.stages':", "no array of its own", "'schedule.bh.compute: " + way + "'"});
}

}  // namespace
}  // namespace tessera::app_test
