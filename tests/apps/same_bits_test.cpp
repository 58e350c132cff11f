// SPDX-License-Identifier: BSD-3-Clause
// No deck of any application, no number of ranks, and no set of instructions changes a bit.
#include <gtest/gtest.h>

#include "apps/case_runs.hpp"
#include "pipeline/limited_instructions.hpp"

namespace {

using namespace tessera;
using bench::PipelineCase;
using bench::Size;

// With checks or sanitizers a run takes many times as long: then only every fifth is tried.
#ifdef TESSERA_TEST_FEWER
constexpr std::size_t most_sizes = 2;
constexpr int every = 5;
const std::vector<int> rank_counts = {2, 5, 16};
#else
constexpr std::size_t most_sizes = 5;
constexpr int every = 1;
const std::vector<int> rank_counts = {1, 2, 5, 16, 64};
#endif

/// Odd ones, and the smallest.
std::vector<Size> sizes_of(const std::string& benchmark) {
  std::vector<Size> sizes = {{61, 47}, {3, 500}, {1, 1}, {130, 33}};
  if (benchmark == "camera_pipe") sizes = {{233, 91}, {96, 56}, {161, 189}};
  // Its levels beyond those of local_laplacian are alike.
  if (benchmark == "local_laplacian10") sizes = {{61, 47}, {1, 1}};
  if (benchmark == "resize") sizes = {{61, 47}, {4, 4}, {5, 300}, {130, 33}};
  if (benchmark == "wavelet") sizes = {{61, 47}, {2, 1}, {3, 500}, {130, 33}};
  sizes.resize(std::min(sizes.size(), most_sizes), Size{});
  return sizes;
}

/// How a deck is run.
struct Variant {
  const char* grid;
  TileSize tile;
  TileSize inner;
};
const std::vector<Variant> variants = {{"[1, auto]", {}, {}},
                                       {"[auto, auto]", {}, {}},
                                       {"[1, auto]", {16, 4}, {}},
                                       {"[auto, auto]", {7, 5}, {4, 2}}};

Schedule schedule_of(const PipelineCase& the_case, const std::string& deck, const Variant& variant) {
  Schedule schedule = test::schedule_of(the_case, deck, {std::string("grid=").append(variant.grid)});
  for (auto& [name, stage] : schedule.stages) {
    const auto dimensions =
        static_cast<std::size_t>(the_case.pipeline[the_case.pipeline.find(name)].dimensions);
    for (const auto& [size, wanted] :
         {std::pair(&stage.tile, variant.tile), std::pair(&stage.inner, variant.inner)})
      if (!wanted.empty()) size->assign(wanted.begin(), wanted.begin() + std::min(dimensions, wanted.size()));
  }
  return schedule;
}

class SameBits : public testing::TestWithParam<std::string> {};

void expect_same_bits_with_all_instructions(const PipelineCase& the_case, const test::Result& expected,
                                            Size size) {
  for (const InstructionSet most : test::all_instruction_sets) {
    const test::LimitedInstructions limited(most);
    EXPECT_TRUE(test::run(the_case, {}, 1, 2).same_bits(expected))
        << the_case.benchmark << " " << the_case.type << " of " << size.text() << ", " << to_string(most);
  }
}

void expect_same_bits(const PipelineCase& the_case, Size size) {
  const test::Result expected = test::run(the_case, {});
  expect_same_bits_with_all_instructions(the_case, expected, size);
  int run = 0;
  for (const std::string& deck : test::decks_of(the_case))
    for (const Variant& variant : variants)
      for (int ranks : rank_counts) {
        if (run++ % every != 0) continue;
        const auto result = test::run(the_case, schedule_of(the_case, deck, variant), ranks, 2);
        EXPECT_TRUE(result.same_bits(expected))
            << the_case.benchmark << " " << the_case.type << " of " << size.text() << ", deck '" << deck
            << "', grid " << variant.grid << ", tiles " << (variant.tile.empty() ? "auto" : "small")
            << ", on " << ranks;
      }
}

TEST_P(SameBits, InEveryDeckOnManyRanks) {
  for (const Size& size : sizes_of(GetParam()))
    for (const PipelineCase& the_case : test::cases_of(GetParam(), size)) expect_same_bits(the_case, size);
}

std::vector<std::string> benchmarks() {
  std::vector<std::string> names;
  for (const bench::Benchmark& one : bench::all_benchmarks()) names.push_back(one.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Applications, SameBits, testing::ValuesIn(benchmarks()),
                         [](const auto& info) { return info.param; });

}  // namespace
