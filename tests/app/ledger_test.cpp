// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/ledger.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tessera/app/detail/series_items.hpp"
#include "tessera/deck/load.hpp"

namespace tessera::app {
namespace {

using Items = std::map<std::string, std::string>;

deck::Deck deck_with(const std::string& text) {
  deck::Schema schema;
  schema.add({.name = "peaks", .type = deck::ValueType::integer, .group = "Stitching", .help = "Peaks"});
  schema.add({.name = "threads", .type = deck::ValueType::integer, .group = "Machine", .help = "Threads"});
  return deck::load(schema, {{"d.yaml", text}});
}

/// A folder of its own for each rank, which is removed at the end.
class LedgerTest : public testing::Test {
 protected:
  LedgerTest() { std::filesystem::create_directories(folder_); }
  ~LedgerTest() override { std::filesystem::remove_all(folder_); }

  void append(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::app) << text;
  }
  Ledger ledger(const std::string& deck = "{peaks: 2, threads: 1}") const {
    return {folder_ / "ledger", deck_with(deck), {folder_ / "table.csv"}};
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tessera-ledger-" + std::to_string(getpid()));
};

TEST_F(LedgerTest, HasItemsOfTheSameComputation) {
  append("table.csv", "1");
  ledger().add("a\tb 1", "2.5 3");
  ledger().add("c");
  const Items items{{"a\tb 1", "2.5 3"}, {"c", ""}};
  EXPECT_EQ(ledger().items(), items);
  EXPECT_EQ(ledger("{peaks: 2, threads: 7}").items(), items);
  EXPECT_EQ(ledger("{peaks: 3, threads: 1}").items(), Items{});
  append("table.csv", "2");
  EXPECT_EQ(ledger().items(), Items{});
}

TEST_F(LedgerTest, LeavesOutLinesThatAreNotComplete) {
  ledger().add("a", "1");
  Items items{{"a", "1"}};
  std::string line;
  std::getline(std::ifstream(folder_ / "ledger"), line);
  for (const std::size_t size : {std::size_t(1), std::size_t(18), line.size() - 1}) {
    append("ledger", line.substr(0, size));
    ledger().begin({});
    ledger().add(std::to_string(size), "2");
    items[std::to_string(size)] = "2";
    EXPECT_EQ(ledger().items(), items) << size;
  }
}

TEST_F(LedgerTest, KeysHaveTheStateOfFiles) {
  append("tile", "1");
  const auto state = [&] { return Ledger::state_of({folder_ / "tile", folder_ / "none"}); };
  const std::string before = state();
  EXPECT_EQ(state(), before);
  std::filesystem::last_write_time(
      folder_ / "tile", std::filesystem::last_write_time(folder_ / "tile") + std::chrono::hours(1));
  EXPECT_NE(state(), before);
}

TEST_F(LedgerTest, BeginsAndEndsWithoutUnfinishedFiles) {
  const std::string result = folder_ / "r.png", own = ".r.png.part-" + std::to_string(getpid());
  for (const std::string& name :
       {own, std::string(".r.png.part-999999999"), std::string(".q.png.part-999999999")})
    append(name.c_str(), "half");
  ledger().begin({result});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "ledger"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / ".r.png.part-999999999"));
  append(".r.png.part-999999999", "half");
  ledger().finish({result});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ledger"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / ".r.png.part-999999999"));
  for (const std::string& name : {own, std::string(".q.png.part-999999999")})
    EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
}

TEST_F(LedgerTest, OfASeriesHasTheFilesAsTheyWereBeforeTheWork) {
  std::vector<SeriesItem> items;
  for (const char* name : {"a", "b", "c"}) {
    append(name, "image");
    items.push_back({folder_ / name, folder_ / (std::string(name) + ".raw")});
  }
  std::vector<SeriesItem> begun = items, rest = items;
  EXPECT_EQ(leave_out_whole(ledger(), begun), 0);
  append("a", "that is written anew while its result is computed");
  for (const SeriesItem& item : begun) {
    std::ofstream(item.output) << "result";
    ledger().add(ledger_key(item));
  }
  // Only b is left out, as the last whole one stays.
  EXPECT_EQ(leave_out_whole(ledger(), rest), 1);
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].input, items[0].input);
  EXPECT_EQ(rest[1].input, items[2].input);
}

TEST_F(LedgerTest, SaysHowManyItemsAreLeftOut) {
  EXPECT_EQ(ledger().remark(0, "plate"), "");
  EXPECT_TRUE(ledger().remark(1, "plate").starts_with("1 plate of an earlier run is whole: "));
  EXPECT_TRUE(ledger().remark(7, "plate").starts_with("7 plates of an earlier run are whole: "));
}

}  // namespace
}  // namespace tessera::app
