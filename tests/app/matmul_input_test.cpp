// SPDX-License-Identifier: BSD-3-Clause
// What tessera-matmul refuses, word for word, before the work begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "full_disks.hpp"
#include "matmul_runs.hpp"

namespace tessera::app_test {
namespace {

class MatmulInputTest : public testing::Test {
 protected:
  MatmulInputTest() {
    random_matrix<double>(30, 20, 1, true).write_hdf5(folder_ / "a.h5");
    random_matrix<double>(20, 10, 2, true).write_hdf5(folder_ / "b.h5");
  }

  /// The run ends on both ranks with one line, and without an output.
  void expect_refused(const Words& words, const Words& told,
                      test::SourceLine caller = test::SourceLine::here()) const {
    Words all = words;
    const auto has = [&](const std::string& key) {
      return std::ranges::any_of(words, [&](const std::string& word) { return word.starts_with(key + "="); });
    };
    for (const auto& [key, value] :
         {std::pair{"a.file", "a.h5"}, {"b.file", "b.h5"}, {"output.file", "c.h5"}, {"threads", "1"}})
      if (!has(key)) all.push_back(std::string(key) + "=" + value);
    const ParallelEnding ending = matmul(folder_, 2, all);
    expect_refusal(ending, told, caller);
    EXPECT_TRUE(lines_with(ending.output, "multiplied").empty());
    EXPECT_FALSE(folder_.names().contains("c.h5"));
  }

  Folder folder_;
};

TEST_F(MatmulInputTest, MatricesThatDoNotFit) {
  random_matrix<float>(20, 10, 3, true).write_hdf5(folder_ / "f.h5");
  expect_refused({"b.file=a.h5"}, {"'b.file':", "30 x 20 of float64", "give B as many rows"});
  expect_refused({"b.file=f.h5"}, {"'b.file':", "20 x 10 of float32", "one type"});
  expect_refused({"c.file=a.h5", "beta=1"}, {"'c.file':", "A B is 30 x 10", "a matrix like it"});
  expect_refused({"beta=1"}, {"'beta':", "the old C is not given"});
  expect_refused({"c.file=a.h5"}, {"'c.file':", "so the old C is not read"});
}

TEST_F(MatmulInputTest, FilesThatAreNoMatrices) {
  io_test::write_plain_hdf5<std::int32_t>(folder_ / "i.h5", "i", {20, 10}, std::vector<std::int32_t>(200),
                                          H5T_NATIVE_INT32, {.type = H5T_NATIVE_INT32});
  io_test::write_plain_hdf5<double>(folder_ / "3.h5", "d", {2, 20, 10}, std::vector<double>(400),
                                    H5T_NATIVE_DOUBLE, {.type = H5T_NATIVE_DOUBLE});
  random_matrix<double>(20, 10, 4, true).write_hdf5(folder_ / "two.h5", "one");
  random_matrix<double>(20, 10, 4, true).write_hdf5(folder_ / "two.h5", "other");
  folder_.write("text", "no matrix");
  folder_.write("short.raw", random_matrix<double>(20, 10, 5, true).bytes().substr(0, 1500));
  expect_refused({"b.file=i.h5"}, {"'b.file':", "i.h5 is of int32"});
  expect_refused({"b.file=3.h5"}, {"'b.file':", "3.h5 has 3 dimensions"});
  expect_refused({"b.file=two.h5"}, {"two.h5:", "holds 2 data sets"});
  expect_refused({"b.file=two.h5", "b.dataset=none"}, {"two.h5:", "data set 'none'", "one, other"});
  expect_refused({"b.file=text"}, {"'b.file':", "text is no HDF5 file"});
  expect_refused({"b.file=none"}, {"'b.file':", "there is no file none"});
  expect_refused({"b.file=none", "b.raw.shape=[20, 10]", "b.raw.type=float64"},
                 {"'b.file':", "there is no file none"});
  expect_refused({"b.file=short.raw", "b.raw.shape=[20, 10]", "b.raw.type=float64"},
                 {"short.raw:", "is too short", "1600 bytes"});
  expect_refused({"b.file=short.raw", "b.raw.shape=[20, 10]"},
                 {"'b.raw.shape':", "'b.raw.type' is not given"});
}

// The functions of the standard library throw errors of their own for these names.
TEST_F(MatmulInputTest, FilesThatCannotBeOpened) {
  std::filesystem::create_symlink("loop", folder_ / "loop");
  std::filesystem::create_directory(folder_ / "folder");
  const std::string longest(300, 'x');
  expect_refused({"b.file=loop"}, {"'b.file':", "loop cannot be opened"});
  expect_refused({"b.file=" + longest}, {"'b.file':", "cannot be opened (File name too long)"});
  expect_refused({"b.file=folder"}, {"'b.file':", "folder is a folder"});
}

TEST_F(MatmulInputTest, ShapesOfNumbersAlone) {
  random_matrix<double>(2, 3, 1, true).write_hdf5(folder_ / "small.h5");
  folder_.write("hole", "");
  std::filesystem::resize_file(folder_ / "hole", std::uintmax_t(2147483647) * 8);
  for (const char* words : {"b.raw.shape=[2, 5, 2]", "b.raw.type=int32"}) {
    const ParallelEnding ending =
        matmul(folder_, 1, {"a.file=a.h5", "b.file=hole", words, "output.file=c.h5"});
    EXPECT_EQ(ending.status, 2) << ending.text();
    EXPECT_EQ(lines_with(ending.errors, "error: command line: '" + std::string(words)).size(), 1U)
        << ending.text();
  }
  expect_refused({"a.file=hole", "a.raw.shape=[2147483647, 1]", "a.raw.type=float64", "b.file=hole",
                  "b.raw.shape=[1, 2147483647]", "b.raw.type=float64"},
                 {"'b.file':", "2147483647 x 1", "no file is as large"});
}

TEST_F(MatmulInputTest, ATruncatedFile) {
  random_matrix<double>(20, 200, 6, true).write_hdf5(folder_ / "whole.h5");
  const std::string bytes = folder_.read("whole.h5");
  folder_.write("cut.h5", bytes.substr(0, bytes.size() - 100));
  const ParallelEnding ending = matmul(folder_, 2, {"a.file=a.h5", "b.file=cut.h5", "output.file=c.h5"});
  EXPECT_EQ(ending.rank_statuses, (std::vector<int>{2, 2})) << ending.text();
  // The reason in brackets is HDF5's.
  EXPECT_EQ(lines_with(ending.errors, "error: cut.h5: damaged or truncated HDF5 file (").size(), 1U)
      << ending.text();
  EXPECT_FALSE(folder_.names().contains("c.h5"));
}

TEST_F(MatmulInputTest, KeysAndOutputsThatCannotBe) {
  std::filesystem::create_directory(folder_ / "folder");
  expect_refused({"blok=5"}, {"unknown key 'blok'", "'block'"});
  expect_refused({"memory=8K", "block=16", "depth=16"}, {"'memory':", "depth of 16", "11.0 KiB at least"});
  expect_refused({"memory=1 B"}, {"'memory':", "depth of 20", "21.2 KiB at least"});
  expect_refused({"gemm=together", "graph.multiply.workers=2"},
                 {"'graph.multiply.workers':", "gemm=together", "leave this out"});
  const ParallelEnding much =
      matmul(folder_, 1, {"a.file=a.h5", "b.file=b.h5", "output.file=c.h5", "memory=1000000 TiB"});
  EXPECT_EQ(much.status, 2);
  EXPECT_EQ(
      lines_with(much.errors, "error: command line: 'memory=1000000 TiB': 'memory': a machine node has ")
          .size(),
      1U)
      << much.text();
  expect_refused({"grid=[2, 2]"}, {"'grid':", "[2, 2]", "more than 2 ranks"});
  expect_refused({"output.file=a.h5"}, {"output.file: a.h5:", "uses this file already"});
  expect_refused({"output.raw=c.h5"}, {"output.raw: c.h5:", "uses this file already"});
  expect_refused({"output.raw=none/c"}, {"'output.raw':", "there is no folder none"});
  expect_refused({"output.file=folder"}, {"folder:", "exists and is not a regular file"});
  const ParallelEnding nothing = matmul(folder_, 1, {"a.file=a.h5", "b.file=b.h5"});
  expect_refusal(nothing, {"nothing to write", "output.file or output.raw"});
}

/// The folder `disk` may be a small disk while a test of this kind runs.
class MatmulRoomTest : public MatmulInputTest {
 protected:
  MatmulRoomTest() { std::filesystem::create_directory(folder_ / "disk"); }

  /// Expects that a product which no disk holds is refused. This is for machines on which no small disk may
  /// be mounted, too.
  void expect_no_disk_holds_it() const {
    // The file of the matrices has no numbers on the disk: it consists of one hole.
    folder_.write("hole.raw", "");
    std::filesystem::resize_file(folder_ / "hole.raw", std::uintmax_t(8) << 20);
    const ParallelEnding ending =
        matmul(folder_, 2,
               {"a.file=hole.raw", "a.raw.shape=[1048576, 1]", "a.raw.type=float64", "b.file=hole.raw",
                "b.raw.shape=[1, 1048576]", "b.raw.type=float64", "output.raw=c.raw"});
    EXPECT_EQ(ending.rank_statuses, (std::vector<int>{2, 2})) << ending.text();
    EXPECT_EQ(lines_with(ending.errors, "c.raw: this needs some 8.0 TiB, but there is room for ").size(), 1U)
        << ending.text();
    EXPECT_EQ(folder_.names(), (std::set<std::string>{"a.h5", "b.h5", "disk", "hole.raw"}));
  }
};

TEST_F(MatmulRoomTest, AProductThatNoDiskHoldsIsRefused) { expect_no_disk_holds_it(); }

TEST_F(MatmulRoomTest, AllFilesOnADiskCountBeforeTheWorkBegins) {
  if (!SmallDisk::is_allowed()) return expect_no_disk_holds_it();
  random_matrix<double>(120, 2, 7, true).write_hdf5(folder_ / "tall.h5");
  random_matrix<double>(2, 120, 8, true).write_hdf5(folder_ / "wide.h5");
  const SmallDisk disk(folder_ / "disk", 200);
  expect_refused({"a.file=tall.h5", "b.file=wide.h5", "output.file=disk/c.h5", "output.raw=disk/c"},
                 {"'output.raw':", "disk/c.h5 and disk/c", "225.0 KiB"});
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "disk"));
  expect_done(matmul(folder_, 2, {"a.file=tall.h5", "b.file=wide.h5", "output.raw=disk/c", "threads=1"}));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "disk/c"), 120 * 120 * 8U);
}

// The limit is that of what files may hold, which is asked for when the space for C is reserved.
TEST_F(MatmulInputTest, ALimitOfTheSizeOfFilesIsTold) {
  random_matrix<double>(1200, 2, 7, true).write_hdf5(folder_ / "tall.h5");
  random_matrix<double>(2, 1200, 8, true).write_hdf5(folder_ / "wide.h5");
  const SizeLimit limit(8);
  for (const char* key : {"output.file", "output.raw"})
    for (const int ranks : {1, 2}) {
      const ParallelEnding ending =
          matmul(folder_, ranks, {"a.file=tall.h5", "b.file=wide.h5", std::string(key) + "=c", "threads=1"});
      expect_refusal(ending, {"c:", "cannot be written (File too large)"});
      EXPECT_EQ(folder_.names(), (std::set<std::string>{"a.h5", "b.h5", "tall.h5", "wide.h5"}));
    }
}

}  // namespace
}  // namespace tessera::app_test
