// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "deck_test_support.hpp"
#include "messages.hpp"
#include "tessera/deck/load.hpp"

namespace tessera::deck {
namespace {

using test::expect_message;

/// A folder of its own, so that tests may run at once; removed at the end.
class ReadSource : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("tessera-deck-" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string read_error(const std::string& path) const {
    return test::replaced(error_of([&] { read_source(path); }), folder_.string(), "FOLDER");
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(ReadSource, ReadsTheFileAndNamesIt) {
  const std::string file = write("blur.yaml", minimal + "threads: 0\n");
  const Source source = read_source(file);
  EXPECT_EQ(source.name, file);
  EXPECT_EQ(source.text, minimal + "threads: 0\n");
  expect_message(test::replaced(error_of([&] { load(sample_schema(), {source}); }), path(""), ""),
                 {"blur.yaml:2:10:", "'threads'", "expects an integer", "got '0'"});
}

TEST_F(ReadSource, MissingFile) {
  expect_message(read_error(path("none.yaml")), {"FOLDER/none.yaml", "cannot open"});
  expect_message(read_error(""), {"cannot open", "such file"});
}

TEST_F(ReadSource, ShippedDecksAreFoundFromEveryFolder) {
  const std::string before = std::filesystem::current_path().string();
  std::filesystem::current_path(path(""));
  const Source shipped = read_source("inputs/blur/default.yaml");
  EXPECT_EQ(shipped.name, shipped_decks() + "/blur/default.yaml");
  EXPECT_NE(shipped.text.find("grid: [1, auto]"), std::string::npos);
  expect_message(read_error("inputs/blur/none.yaml"), {"inputs/blur/none.yaml", "cannot open"});
  // A deck of the user's own is taken before a shipped one of the same name.
  std::filesystem::create_directories(path("inputs/blur"));
  write("inputs/blur/default.yaml", minimal);
  EXPECT_EQ(read_source("inputs/blur/default.yaml").text, minimal);
  std::filesystem::current_path(before);
}

TEST_F(ReadSource, Directory) { expect_message(read_error(path("")), {"FOLDER/", "directory"}); }

TEST_F(ReadSource, TooLarge) {
  const std::string file = write("large.yaml", std::string((1 << 20) + 1, ' '));
  expect_message(read_error(file), {"1 MiB", "may have"});
}

TEST_F(ReadSource, FileWithoutEnd) { expect_message(read_error("/dev/zero"), {"/dev/zero", "may have"}); }

TEST_F(ReadSource, StrangeNames) {
  expect_message(read_error(std::string("a\0b", 3)), {"a\\x00b", "file name"});
  expect_message(read_error("no\nsuch"), {"cannot open", "such file"});
}

}  // namespace
}  // namespace tessera::deck
