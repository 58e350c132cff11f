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
  const auto expect_refused = [&](const std::vector<std::string>& words, const std::string& message) {
    const auto before = folder_.names();
    const ParallelEnding ending = blur(2, folder_, words);
    EXPECT_EQ(ending.text(), "tessera-blur: error: " + message + "\n");
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(2, 2));
    EXPECT_EQ(folder_.names(), before);
  };
  expect_refused({"input.file=image.h5", "output.png=o.png", "output.xdmf=o.xdmf"},
                 "command line: 'output.xdmf=o.xdmf': 'output.xdmf': there is no HDF5 file to describe: give "
                 "output.file, too");
  expect_refused(
      {"run.yaml", "output.xdmf=o.h5"},
      "command line: 'output.xdmf=o.h5': 'output.xdmf': output.file has the same name: give each a name "
      "of its own");
}

}  // namespace
}  // namespace tessera::app_test
