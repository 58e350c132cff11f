// SPDX-License-Identifier: BSD-3-Clause
// Crops of what Halide computes of the same images; see golden/README.md.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "apps/case_runs.hpp"
#include "domain/random.hpp"

namespace {

using namespace tessera;
using bench::PipelineCase;

/// How well the results agree: all samples except `exceptions` of them are at most `each` apart, and all are
/// at most `all` apart.
struct Tolerance {
  double each = 0;
  double all = 0;
  double exceptions = 0;
};

Tolerance tolerance_of(const PipelineCase& the_case) {
  const std::string& name = the_case.benchmark;
  const bool floats = the_case.type.substr(0, 3) == "f32";
  // Roundings may choose the neighbouring entry of the table of details.
  if (name == "local_laplacian" || name == "local_laplacian10") return {1, 64, 0.001};
  if (name == "bilateral_grid" || name == "interpolate") return {2e-6, 2e-6};
  if (name == "resize") return floats ? Tolerance{1e-5, 1e-5} : Tolerance{1, 1};
  return floats ? Tolerance{1e-6, 1e-6} : Tolerance{};
}

std::vector<char> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The crops of a result in the order of the file: 32 x 32 points of all planes, at the corner and in the
/// middle.
std::vector<Box> crops_of(const Box& result) {
  constexpr std::int64_t extent = 32;
  Box corner = result, middle = result;
  for (int d = 0; d < 2; ++d) {
    const auto first = (result[d].size() - extent) / 2;
    corner[d] = {0, extent};
    middle[d] = {first, first + extent};
  }
  return {corner, middle};
}

void expect_golden(const PipelineCase& the_case, const test::Result& result) {
  const std::string name = the_case.benchmark + "." + the_case.type + ".bin";
  const std::vector<char> bytes = read_file(std::filesystem::path(TESSERA_GOLDEN) / name);
  const auto crops = crops_of(result.box);
  ASSERT_EQ(static_cast<std::int64_t>(bytes.size()),
            (crops[0].size() + crops[1].size()) * static_cast<std::int64_t>(size_of(result.type)))
      << name;
  const Tolerance tolerance = tolerance_of(the_case);
  test::Differences differences{tolerance.each};
  std::size_t read = 0;
  for (const Box& crop : crops) {
    test::Result golden{crop, result.type,
                        std::vector<std::byte>(static_cast<std::size_t>(crop.size()) * size_of(result.type))};
    std::memcpy(golden.bytes.data(), bytes.data() + read, golden.bytes.size());
    read += golden.bytes.size();
    test::for_each_point(crop,
                         [&](const test::Point& p) { differences.add(result.value(p), golden.value(p)); });
  }
  EXPECT_LE(double(differences.beyond), tolerance.exceptions * double(differences.samples)) << name;
  EXPECT_LE(differences.largest, tolerance.all) << name;
}

TEST(Golden, WhatHalideComputes) {
  int cases = 0;
  for (const bench::Benchmark& benchmark : bench::all_benchmarks()) {
    // Not in Halide's collection: see equalize_test.cpp and stereo_test.cpp.
    if (benchmark.name == "equalize" || benchmark.name.starts_with("stereo")) continue;
    for (const PipelineCase& the_case : benchmark.cases({128, 64})) {
      SCOPED_TRACE(benchmark.name);
      expect_golden(the_case, test::run(the_case, test::schedule_of(the_case, "default"), 3, 2));
      ++cases;
    }
  }
  EXPECT_EQ(cases, 19);
}

}  // namespace
