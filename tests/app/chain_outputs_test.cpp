// SPDX-License-Identifier: BSD-3-Clause
// The results that tessera-chain writes besides its output, and those that it refuses to write.
#include <map>

#include "chain_runs.hpp"

namespace tessera::app_test {
namespace {

TEST_F(ChainTest, SeveralResultsAndSeveralInputs) {
  Words words{"c.yaml", "input.file=image.h5", "output.stages=[half]"};
  EXPECT_EQ(result(3, words, "half"),
            result(1, {"c.yaml", "input.file=image.h5", "output.step=half"}, "half"));
  folder_.write("two.yaml",
                "inputs: {dark: {file: image.h5}}\n"
                "steps: {difference: {expression: 'input - dark'}}\n");
  const StoredResult zero = result(2, {"two.yaml", "input.file=image.h5"}, "difference");
  EXPECT_EQ(zero.bytes, std::string(zero.bytes.size(), '\0'));
  expect_refused({"two.yaml", "input.file=colour.h5", "output.file=o.h5"},
                 {"two.yaml:1:23: 'inputs.dark.file':", "[0, 61) x [0, 40) x [0, 3)", "same extents"});
}

// Results that the output does not need are computed, too, and are whole, as are lists of numbers.
TEST_F(ChainTest, ResultsThatTheOutputDoesNotNeed) {
  folder_.write("many.yaml",
                "steps:\n"
                "  large: {resize: input, size: [200, 150]}\n"
                "  part: {crop: large, size: [20, 10]}\n"
                "  smooth: {gaussian: input}\n"
                "  counts: {histogram: input}\n"
                "output: {step: part, stages: [large, smooth, counts]}\n"
                "input: {file: image.h5}\n");
  using Extents = std::vector<hsize_t>;
  const std::map<std::string, Extents> expected = {
      {"large", {150, 200}}, {"part", {10, 20}}, {"smooth", {97, 133}}, {"counts", {256}}};
  for (const int ranks : {1, 3})
    for (const auto& [name, extents] : expected)
      EXPECT_EQ(result(ranks, {"many.yaml"}, name).extents, extents) << name;
  folder_.write("one.yaml", "steps: {smooth: {gaussian: input}}\ninput: {file: image.h5}\n");
  EXPECT_EQ(result(2, {"many.yaml"}, "smooth"), result(1, {"one.yaml"}, "smooth"));
  // A stage of a step that the output does not need has the rows beyond the image that the step reads.
  EXPECT_EQ(result(2, {"many.yaml", "output.stages=[smooth_x]"}, "smooth_x").extents, (Extents{105, 133}));
}

// A step of which only an inner stage is asked for is no output, and is computed where it is needed.
TEST_F(ChainTest, InnerStagesHaveThePointsThatAreNeeded) {
  folder_.write("inner.yaml",
                "steps:\n"
                "  large: {resize: input, size: [200, 150]}\n"
                "  part: {crop: large, size: [20, 10]}\n"
                "input: {file: image.h5}\n"
                "schedule: {large: {compute: tile}, large_x: {compute: rank}}\n");
  using Extents = std::vector<hsize_t>;
  EXPECT_EQ(result(2, {"inner.yaml", "output.stages=[large_x]"}, "large_x").extents[1], 20U);
  EXPECT_EQ(result(2, {"inner.yaml", "output.stages=[large_x, large]"}, "large_x").extents,
            (Extents{97, 200}));
  const std::string plan = output({"inner.yaml", "output.file=o.h5", "output.stages=[large_x]", "--explain"});
  EXPECT_EQ(lines_with(plan, "stage large: tile of uint8").size(), 1U) << plan;
}

// The schedule of a deck holds for whatever is written, and outputs are computed by their owners.
TEST_F(ChainTest, ScheduledStepsCanBecomeOutputs) {
  folder_.write("tiles.yaml", std::string(two_steps) + "input: {file: image.h5}\n");
  const StoredResult expected = result(1, {"tiles.yaml", "output.step=half"}, "half");
  for (const char* way : {"tile", "window", "rank", "replicated"}) {
    const std::string word = std::string("schedule.half.compute=") + way;
    EXPECT_EQ(result(2, {"tiles.yaml", word, "output.step=half"}, "half"), expected) << way;
    EXPECT_EQ(result(2, {"tiles.yaml", word, "output.stages=[half]"}, "half"), expected) << way;
  }
}

TEST_F(ChainTest, ResultsThatCannotBeWrittenAreRefusedWithTheReason) {
  folder_.write("spots.yaml",
                "inputs: {dark: {file: image.h5}}\n"
                "steps:\n"
                "  smooth: {gaussian: input}\n"
                "  most: {greatest: u}\n"
                "  spots: {expression: 'u - smooth - dark'}\n"
                "repeat: {u: {begin: input, turns: 2, steps: {v: {gaussian: u}}}}\n"
                "input: {file: image.h5}\n"
                "output: {file: o.h5, step: spots}\n");
  const auto refused = [&](const std::string& stage, const std::string& reason,
                           const std::string& deck = "spots.yaml") {
    expect_refused({deck, "output.stages=[" + stage + "]"}, {"'output.stages':", "'" + stage + "'", reason});
  };
  const std::string of_loop = "in each turn of the loop 'u'";
  refused("spots", "is the output");
  refused("most", "is a number");
  refused("dark", "is an input");
  refused("u", of_loop);
  refused("v", of_loop);
  refused("v_x", of_loop);
  refused("smoth", "did you mean 'smooth'?");
  // The stage of inputs of types that no operator takes, which this image does not need.
  refused("input_float32", "there are smooth_x, smooth");
  folder_.write("loop.yaml",
                "repeat: {u: {begin: input, turns: 2, steps: {v: {gaussian: u}}}}\n"
                "input: {file: image.h5}\noutput: {file: o.h5}\n");
  refused("u", "is the output", "loop.yaml");
  refused("v", of_loop, "loop.yaml");
  refused("w", "nor another one", "loop.yaml");
}

TEST_F(ChainTest, ConvertedInputsCanBeWritten) {
  write_sample(folder_, "double.h5", {"float64", 33, 20});
  const StoredResult stored =
      result(2, {"c.yaml", "input.file=double.h5", "output.stages=[input_float32]"}, "input_float32");
  EXPECT_EQ(stored.type, "float32");
  EXPECT_EQ(stored.extents, (std::vector<hsize_t>{20, 33}));
}

TEST_F(ChainTest, NumbersThatNoStepReadsAreReported) {
  folder_.write("n.yaml",
                "steps:\n"
                "  middle: {mean: input}\n"
                "  same: {expression: 'input + middle - middle', type: uint8}\n"
                "  far: {distance: [input, same], metric: greatest}\n"
                "output: {step: same}\n");
  for (const int ranks : {1, 3}) {
    const ParallelEnding ending = run(ranks, {"n.yaml", "input.file=image.h5", "output.file=o.h5"});
    EXPECT_EQ(lines_with(ending.output, "far 0").size(), 1U) << ending.text();
    EXPECT_TRUE(lines_with(ending.output, "middle ").empty()) << ending.text();
  }
}

}  // namespace
}  // namespace tessera::app_test
