// SPDX-License-Identifier: BSD-3-Clause
// Series of images that are restored: the tasks of a program, loops that do not converge, and what results
// tell.
#include <gtest/gtest.h>

#include <filesystem>

#include "io/plain_hdf5.hpp"
#include "series_test_support.hpp"

namespace tessera::app_test {
namespace {

TEST_F(SeriesTest, TheRestorationIsTwoTasksWithTheBitsOfSingleRuns) {
  write_noisy_frames(5);
  Words expected;
  for (int number = 0; number < 5; ++number) expected.push_back(result_of("restore", frame(number)));
  const std::string decks = std::string(TESSERA_DECKS) + "/restore/";
  const std::vector<Words> settings = {
      {"graph.detect.workers=1", "graph.restore.workers=2"},
      {"graph.detect.on=kernels"},
      {"graph.restore.on=kernels", "graph.images.count=3"},
      {decks + "redundant.yaml", "graph.detect.on=kernels", "graph.restore.on=kernels"},
      {decks + "rounds.yaml", "schedule.least_3.compute=tile", "schedule.weight.compute=rank",
       "schedule.weight.tile=[16,7]", "schedule.row.compute=rank"}};
  int folder = 0;
  for (const int ranks : {1, 2, 3, 4})
    for (const Words& setting : settings) {
      const std::string name = "clean" + std::to_string(++folder);
      Words words{"input.files=frames/*.png", "output.files=" + name + "/{name}.png", "threads=2", "--report",
                  "-"};
      words.insert(words.end(), setting.begin(), setting.end());
      const ParallelEnding ending = run("restore", ranks, words);
      EXPECT_EQ(ending.status, 0) << ending.text();
      for (const char* line : {"  detect   task        5 ", "  restore  task        5 "})
        EXPECT_EQ(lines_with(ending.output, line).size(), 1U) << ending.output;
      for (int number = 0; number < 5; ++number)
        EXPECT_TRUE(folder_.read(name + "/f" + std::to_string(number) + ".png") ==
                    expected[static_cast<std::size_t>(number)])
            << ranks << setting.front() << number;
    }
}

TEST_F(SeriesTest, KeysOfPartsBelongToTheirProgram) {
  write_frames(2);
  const Words words{"input.files=frames/*.png", "output.files=e/{name}.png"};
  expect_refused({words[0], words[1], "graph.detect.workers=2"},
                 {"unknown key 'graph.detect'", "read, sobel, write"});
  const auto expect_restore_refuses = [&](const std::string& word, const Words& told) {
    expect_refusal(run("restore", 2, {words[0], words[1], word}), told);
  };
  expect_restore_refuses("graph.sobel.on=kernels", {"unknown key 'graph.sobel'", "read, detect, restore"});
  expect_restore_refuses("graph.detect.on=io", {"'graph.detect.on' expects", "got 'io'"});
  expect_restore_refuses("graph.images.count=2", {"pool 'images'", "raise graph.images.count"});
  expect_restore_refuses("clean.file=frames/f0.png", {"'clean.file':", "items.across=ranks"});
  EXPECT_FALSE(folder_.names().contains("e"));
}

TEST_F(SeriesTest, ImagesWhoseLoopsDoNotConvergeAreWrittenAndTold) {
  write_noisy_frames(13);
  io_test::write_plain_png(folder_ / frame(4), io_test::make_png(40, 30, PNG_COLOR_TYPE_GRAY, 8,
                                                                 [](auto x, auto, int) { return 20 + x; }));
  Words expected;
  for (int number = 0; number < 11; ++number)
    if (number != 4)
      expected.push_back("tessera-restore: " + frame(number) + ": " + line_about_two_turns(frame(number)));
  expected.emplace_back("tessera-restore: and 2 more images with a loop that has not converged");
  line_about_two_turns(frame(12));
  const std::string last = folder_.read("single.png");
  for (const int ranks : {1, 3}) {
    const std::string name = "clean" + std::to_string(ranks);
    const Words words{"input.files=frames/*.png", "output.files=" + name + "/{name}.png", "cycles=2"};
    const ParallelEnding ending = run("restore", ranks, {words[0], words[1], words[2], "--report", "-"});
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 3)) << ending.text();
    EXPECT_EQ(lines_with(ending.errors, "tessera-restore: "), expected);
    EXPECT_EQ(lines_with(ending.output, "  not_converged   12").size(), 1U) << ending.output;
    EXPECT_EQ(lines_with(ending.output, "wrote 13 images in ").size(), 1U) << ending.output;
    EXPECT_TRUE(folder_.read(name + "/f12.png") == last);
  }
}

TEST_F(SeriesTest, AFileLeftOutCountsMoreThanALoop) {
  write_noisy_frames(3);
  folder_.write("frames/f1.png", "no image");
  folder_.write("frames/f2.png", "no image");
  const ParallelEnding ending = run("restore", 3,
                                    {"input.files=frames/*.png", "output.files=clean/{name}.png", "cycles=2",
                                     "on_error=skip", "--report", "report.json"});
  EXPECT_EQ(ending.rank_statuses, (std::vector{2, 2, 2})) << ending.text();
  EXPECT_EQ(
      lines_with(ending.errors, frame(0) + ": the loop 'restore' has not converged after 2 turns").size(), 1U)
      << ending.errors;
  const Words left_out = lines_with(ending.errors, ": left out ");
  ASSERT_EQ(left_out.size(), 2U) << ending.errors;
  EXPECT_NE(left_out.front().find(frame(1)), std::string::npos) << "in the order of the series";
  const std::string report = folder_.read("report.json");
  EXPECT_EQ(lines_with(report, "\"not_converged\": 1").size(), 1U) << report;
  EXPECT_EQ(lines_with(report, "frames/f0.png: the loop 'restore'").size(), 1U) << report;
}

TEST_F(SeriesTest, Hdf5ResultsHaveTheNotesOfSingleRuns) {
  write_noisy_frames(3);
  const ParallelEnding ending = run("restore", 2,
                                    {"input.files=frames/*.png", "output.files=out/{name}.h5", "threads=2",
                                     "output.compression=5", "output.chunks=[32,auto]"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  const auto turns_of = [](const std::string& file) {
    return io_test::read_plain_hdf5<double>(file, "history/restore/turns", H5T_NATIVE_DOUBLE).values;
  };
  const auto residuals_of = [](const std::string& file) {
    return io_test::read_plain_hdf5<double>(file, "history/restore/residual", H5T_NATIVE_DOUBLE).values;
  };
  const auto number = [](const std::string& file, const std::string& name) {
    return io_test::plain_number_attribute<std::int64_t>(file, name, H5T_NATIVE_INT64);
  };
  for (int i = 0; i < 3; ++i) {
    std::filesystem::remove(folder_ / "single.h5");
    ASSERT_EQ(run("restore", 1, {"input.file=" + frame(i), "output.file=single.h5", "threads=1"}).status, 0);
    const std::string one = folder_ / ("out/f" + std::to_string(i) + ".h5"), single = folder_ / "single.h5";
    EXPECT_GT(residuals_of(one).size(), 1U);
    EXPECT_EQ(residuals_of(one), residuals_of(single));
    EXPECT_EQ(turns_of(one), turns_of(single));
    for (const char* name : {"program", "version", "libraries", "grid"})
      EXPECT_EQ(io_test::plain_text_attribute(one, name), io_test::plain_text_attribute(single, name))
          << name;
    for (const char* name : {"ranks", "threads_per_rank"}) EXPECT_EQ(number(one, name), number(single, name));
    EXPECT_EQ(io_test::plain_text_attribute(one, "input"), frame(i));
    EXPECT_EQ(lines_with(io_test::plain_text_attribute(one, "deck"), "compression: 5").size(), 1U);
    const auto restored = io_test::read_plain_hdf5<std::uint8_t>(one, "restored", H5T_NATIVE_UINT8);
    EXPECT_FALSE(restored.contiguous);
    EXPECT_EQ(restored.values,
              io_test::read_plain_hdf5<std::uint8_t>(single, "restored", H5T_NATIVE_UINT8).values);
  }
}

}  // namespace
}  // namespace tessera::app_test
