// SPDX-License-Identifier: BSD-3-Clause
// tessera-matmul as users start it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <future>
#include <limits>
#include <set>

#include "matmul_runs.hpp"

namespace tessera::app_test {
namespace {

TEST(MatmulTest, TheCommandOfThePage) {
  const Folder folder;
  const auto a = random_matrix<double>(700, 900, 1, true), b = random_matrix<double>(900, 800, 2, true);
  a.write_hdf5(folder / "a.h5");
  b.write_hdf5(folder / "b.h5");
  const ParallelEnding ending =
      matmul(folder, 2, {"a.file=a.h5", "b.file=b.h5", "output.file=c.h5", "block=512", "memory=256 MiB"});
  expect_done(ending);
  const auto c = read_matrix<double>(folder / "c.h5");
  EXPECT_EQ(c.rows, 700);
  EXPECT_EQ(c.columns, 800);
  EXPECT_TRUE(c.values == plain_product(a, b).values);
}

TEST(MatmulTest, RawFilesAndHdf5OfBothTypes) {
  const Folder folder;
  const auto a = random_matrix<float>(101, 67, 3, true), b = random_matrix<float>(67, 55, 4, true),
             old = random_matrix<float>(101, 55, 5, true);
  folder.write("a.raw", "head" + a.bytes());
  b.write_hdf5(folder / "b.h5", "group/b", {.type = H5T_IEEE_F32BE, .chunk = {16, 9}});
  b.write_hdf5(folder / "b.h5", "other");
  old.write_hdf5(folder / "old.h5");
  expect_done(matmul(folder, 3,
                     {"a.file=a.raw", "a.raw.shape=[101, 67]", "a.raw.type=float32", "a.raw.offset=4",
                      "b.file=b.h5", "b.dataset=group/b", "c.file=old.h5", "alpha=-2", "beta=3", "block=16",
                      "depth=8", "leaf=16", "output.raw=c.raw", "output.file=c.h5", "threads=2"}));
  auto expected = plain_product(a, b);
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    expected.values[i] = -2 * expected.values[i] + 3 * old.values[i];
  EXPECT_TRUE(folder.read("c.raw") == expected.bytes());
  EXPECT_TRUE(read_matrix<float>(folder / "c.h5").values == expected.values);
}

TEST(MatmulTest, AnyShapeOnAnyNumberOfRanks) {
  const Folder folder;
  const std::int64_t shapes[][3] = {{1, 1, 1}, {1, 17, 5}, {17, 1, 5}, {6, 7, 1}, {33, 20, 41}};
  unsigned seed = 10;
  for (const auto& [rows, columns, depth] : shapes) {
    const auto a = random_matrix<double>(rows, depth, ++seed, true),
               b = random_matrix<double>(depth, columns, ++seed, true);
    folder.write("a", a.bytes());
    folder.write("b", b.bytes());
    const std::string expected = plain_product(a, b).bytes();
    const auto shape = [](std::int64_t one, std::int64_t other) {
      return ".raw.shape=[" + std::to_string(one) + ", " + std::to_string(other) + "]";
    };
    for (const int ranks : {1, 2, 3, 4}) {
      Words words{"a.file=a",
                  "a" + shape(rows, depth),
                  "a.raw.type=float64",
                  "b.file=b",
                  "b" + shape(depth, columns),
                  "b.raw.type=float64",
                  "output.raw=c",
                  "threads=1"};
      if (ranks % 2 == 0) words.insert(words.end(), {"block=8", "depth=16"});
      if (ranks == 3) words.emplace_back("grid=[3, auto]");
      expect_done(matmul(folder, ranks, words));
      EXPECT_TRUE(folder.read("c") == expected) << rows << " x " << columns << " x " << depth;
    }
  }
}

TEST(MatmulTest, SameBitsOnAnyRanksWorkersPoolsAndMemory) {
  const Folder folder;
  const auto a = random_matrix<double>(150, 210, 6, false), b = random_matrix<double>(210, 130, 7, false);
  a.write_hdf5(folder / "a.h5");
  b.write_hdf5(folder / "b.h5");
  const auto all = [&](int ranks, Words words) {
    words.insert(words.end(), {"a.file=a.h5", "b.file=b.h5", "output.file=c.h5", "output.raw=c", "block=32",
                               "depth=16", "leaf=64"});
    expect_done(matmul(folder, ranks, words));
    return folder.read("c") + folder.read("c.h5");
  };
  const std::string expected = all(1, {"threads=1"});
  const std::vector<Words> ways{{"threads=2", "memory=60K"},
                                {"threads=1", "memory=200K", "graph.window=1"},
                                {"threads=3", "memory=1M", "graph.blocks.count=40"},
                                {"threads=2", "graph.multiply.workers=1", "graph.partials.count=100"},
                                {"threads=1", "grid=[auto, 1]"},
                                {"threads=2", "graph.accumulate.workers=1", "graph.window=3"}};
  for (std::size_t way = 0; way < ways.size(); ++way)
    EXPECT_TRUE(all(way == 5 ? 7 : static_cast<int>(way % 4) + 1, ways[way]) == expected) << "way " << way;
  Matrix<double> c{150, 130, std::vector<double>(150 * 130)};
  std::memcpy(c.values.data(), expected.data(), c.values.size() * sizeof(double));
  expect_probed(a, b, c, std::numeric_limits<double>::epsilon());
}

// Workers, from the environment, would have each rank choose its own blocks.
TEST(MatmulTest, RanksOfDifferentThreadsChooseTheSameBlocks) {
  const Folder folder;
  const auto a = random_matrix<double>(700, 300, 6, true), b = random_matrix<double>(300, 600, 7, true);
  a.write_hdf5(folder / "a.h5");
  b.write_hdf5(folder / "b.h5");
  const std::string program =
      R"(case $PMI_RANK in 0) n=1;; *) n=8;; esac; OMP_NUM_THREADS=$n exec "$0" "$@")";
  for (const char* gemm : {"gemm=side-by-side", "gemm=together"}) {
    const ParallelEnding ending =
        run_on_ranks("sh", 2, folder,
                     {"-c", program, TESSERA_MATMUL, TESSERA_MATMUL_DECKS "/default.yaml", "a.file=a.h5",
                      "b.file=b.h5", "output.file=c.h5", "memory=20M", gemm});
    expect_done(ending);
    EXPECT_TRUE(read_matrix<double>(folder / "c.h5").values == plain_product(a, b).values);
  }
}

// Without block, the edge of blocks depends on the machine.
TEST(MatmulTest, SameBitsOfAnyThreadsIfOnlyTheBlockIsGiven) {
  const Folder folder;
  const auto a = random_matrix<double>(150, 2100, 6, false), b = random_matrix<double>(2100, 130, 7, false);
  a.write_hdf5(folder / "a.h5");
  b.write_hdf5(folder / "b.h5");
  const auto all = [&](int ranks, Words words) {
    words.insert(words.end(), {"a.file=a.h5", "b.file=b.h5", "output.raw=c", "block=64"});
    expect_done(matmul(folder, ranks, words));
    return folder.read("c");
  };
  const std::string expected = all(1, {"threads=1"});
  EXPECT_TRUE(all(1, {"threads=3"}) == expected);
  EXPECT_TRUE(all(2, {"threads=2", "memory=3M"}) == expected);
  EXPECT_TRUE(all(3, {"threads=1", "memory=10M"}) == expected);
}

TEST(MatmulTest, AllThreadsInOneCall) {
  const Folder folder;
  const auto a = random_matrix<float>(600, 500, 8, false), b = random_matrix<float>(500, 400, 9, false);
  a.write_hdf5(folder / "a.h5");
  b.write_hdf5(folder / "b.h5");
  for (const char* gemm : {"gemm=together", "gemm=side-by-side"}) {
    expect_done(matmul(folder, 2,
                       {"a.file=a.h5", "b.file=b.h5", "output.file=c.h5", "block=300", "threads=2", gemm}));
    expect_probed(a, b, read_matrix<float>(folder / "c.h5"), std::numeric_limits<float>::epsilon());
  }
}

TEST(MatmulTest, PlansAreToldBeforeTheWorkBegins) {
  const Folder folder;
  const auto a = random_matrix<double>(100, 90, 1, true), b = random_matrix<double>(90, 80, 2, true);
  a.write_hdf5(folder / "a.h5");
  b.write_hdf5(folder / "b.h5");
  const Words words{"a.file=a.h5", "b.file=b.h5",  "output.file=c.h5", "block=16",
                    "depth=32",    "memory=100 K", "threads=1"};
  const auto with = [&](const Words& more) {
    Words all = words;
    all.insert(all.end(), more.begin(), more.end());
    return matmul(folder, 2, all);
  };
  const ParallelEnding check = with({"--check"});
  expect_done(check);
  EXPECT_TRUE(check.output.starts_with(
      "A is 100 x 90, B is 90 x 80, C is 100 x 80 of float64\n"
      "blocks of 16 with a depth of 32, 3 steps in k, no tree of sums\n"
      "2 ranks on a grid of [1, 2]; a panel of 3 x 3 blocks at a time, 2 panels on rank 0\n"
      "13 buffers for blocks of 4.0 KiB, 11 for partial sums of 2.0 KiB: up to 97.5 KiB on a rank\n"
      "reads 216.6 KiB, writes 62.5 KiB on all ranks together\n"))
      << check.output;
  EXPECT_EQ(lines_with(check.output, " s estimated, with reads at ").size(), 1U) << check.output;
  EXPECT_NE(with({"--explain", "--dot"}).output.find("\"pair\" -> \"multiply\""), std::string::npos);
  EXPECT_EQ(folder.names(), (std::set<std::string>{"a.h5", "b.h5"}));
  // 100 x 90 x 80 products with a sum of double, at 25e9 operations of float per second.
  const ParallelEnding estimate = with({"--estimate", "--ranks", "1", "--report", "e.json"});
  expect_done(estimate);
  EXPECT_EQ(lines_with(estimate.output, "0.1152").size(), 2U) << estimate.output;
  EXPECT_NE(folder.read("e.json").find("\"bound_by\": \"arithmetic\""), std::string::npos);
  expect_done(with({"--report", "r.json", "--trace", "t.json"}));
  const std::string report = folder.read("r.json");
  for (const char* text : {"\"bytes_read\": 221760", "\"bytes_written\": 64000", "\"peak_bytes_of_a_rank\": ",
                           "\"step\": \"finish\"", "\"step\": \"graph 'product'\"", "\"wall_seconds\": "})
    EXPECT_NE(report.find(text), std::string::npos) << text << "\n" << report;
  for (const char* name : {"\"multiply\"", "\"start\"", "\"graph 'product'\""})
    EXPECT_NE(folder.read("t.json").find(name), std::string::npos) << name;
}

/// Waits until a run in the folder has written some blocks of C, and kills its process, which the temporary
/// name of C has. Returns this process.
pid_t kill_after(std::ptrdiff_t blocks, const Folder& folder, std::future<ParallelEnding> run) {
  const auto is_under_way = [&] {
    return run.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready;
  };
  const auto noted = [&] { return std::ranges::count(folder.read(".c.h5.ledger"), '\n'); };
  while (is_under_way() && noted() < blocks) {
  }
  pid_t process = 0;
  const std::string begin = ".c.part-";
  for (const std::string& name : folder.names())
    if (name.starts_with(begin)) process = std::stoi(name.substr(begin.size()));
  EXPECT_GT(process, 0);
  if (process > 0) {
    EXPECT_EQ(kill(process, SIGKILL), 0);
  }
  EXPECT_EQ(run.get().rank_statuses, std::vector<int>{128 + SIGKILL});
  return process;
}

TEST(MatmulTest, KilledRunsLeaveNothingThatLooksComplete) {
  const Folder folder;
  random_matrix<double>(900, 900, 11, false).write_hdf5(folder / "a.h5");
  // Tiny blocks take many seconds.
  const Words words{"a.file=a.h5", "b.file=a.h5", "output.file=c.h5", "output.raw=c",
                    "block=8",     "memory=300K", "threads=1",        "depth=16"};
  for (const bool has_old : {false, true}) {
    if (has_old)
      for (const char* name : {"c.h5", "c"}) folder.write(name, "old");
    const pid_t process =
        kill_after(1, folder, std::async(std::launch::async, [&] { return matmul(folder, 1, words); }));
    for (const std::string name : {"c.h5", "c"}) {
      const std::string part = "." + name + ".part-" + std::to_string(process);
      EXPECT_TRUE(folder.names().contains(part)) << part;
      EXPECT_EQ(folder.names().contains(name), has_old);
      if (has_old) {
        EXPECT_EQ(folder.read(name), "old");
      }
    }
    // The next run removes what this one has left.
    expect_done(matmul(folder, 2, {"a.file=a.h5", "b.file=a.h5", "output.file=c.h5", "output.raw=c"}));
    EXPECT_EQ(folder.names(), (std::set<std::string>{"a.h5", "c", "c.h5"}));
    for (const char* name : {"c.h5", "c"}) std::filesystem::remove(folder / name);
  }
}

TEST(MatmulTest, AKilledRunGoesOn) {
  const Folder folder;
  random_matrix<double>(600, 600, 11, true).write_hdf5(folder / "a.h5");
  Words words{"a.file=a.h5", "b.file=a.h5", "output.file=c.h5", "output.raw=c", "threads=1"};
  expect_done(matmul(folder, 1, words));
  const auto results = [&] { return folder.read("c") + folder.read("c.h5"); };
  const std::string expected = results();
  for (const char* name : {"c.h5", "c"}) std::filesystem::remove(folder / name);
  // Tiny blocks take some seconds, and little memory makes many panels of them.
  words.insert(words.end(), {"block=8", "depth=16", "memory=100K"});
  kill_after(2200, folder, std::async(std::launch::async, [&] { return matmul(folder, 1, words); }));
  const ParallelEnding ending = matmul(folder, 2, words);
  expect_done(ending);
  EXPECT_EQ(lines_with(ending.output, " blocks of an earlier run are whole: they are left out").size(), 1U)
      << ending.output;
  EXPECT_TRUE(results() == expected);
  EXPECT_EQ(folder.names(), (std::set<std::string>{"a.h5", "c", "c.h5"}));
}

}  // namespace
}  // namespace tessera::app_test
