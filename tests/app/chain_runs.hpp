// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "sample_images.hpp"

// Runs of tessera-chain as users start it.
namespace tessera::app_test {

using Words = std::vector<std::string>;

/// The steps of the deck c.yaml.
inline constexpr const char* two_steps =
    "steps:\n"
    "  half: {multiply: input, value: 0.5}\n"
    "  bright: {expression: 'clamp(2 * half - 3, 0, 200)', type: uint8}\n";

/// Has a folder with images and with the deck c.yaml, in which tessera-chain runs.
class ChainTest : public testing::Test {
 protected:
  ChainTest() {
    write_sample(folder_, "image.h5", {"uint8", 133, 97});
    write_sample(folder_, "colour.h5", {"uint8", 61, 40, 3});
    folder_.write("c.yaml", two_steps);
  }

  ParallelEnding run(int ranks, Words words) const {
    words.emplace_back("threads=1");
    return run_on_ranks(program_of("chain"), ranks, folder_, words);
  }
  StoredResult result(int ranks, Words words, const std::string& dataset) const {
    words.insert(words.end(), {"output.file=o.h5"});
    const ParallelEnding ending = run(ranks, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    StoredResult stored = read_result(folder_ / "o.h5", dataset);
    std::filesystem::remove(folder_ / "o.h5");
    EXPECT_FALSE(stored.bytes.empty());
    return stored;
  }
  void expect_refused(const Words& words, const Words& told,
                      test::SourceLine caller = test::SourceLine::here()) const {
    for (const int ranks : {1, 3}) expect_refusal(run(ranks, words), told, caller);
  }
  std::string output(const Words& words) const {
    const ParallelEnding ending = run(1, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    return ending.output;
  }

  Folder folder_;
};

}  // namespace tessera::app_test
