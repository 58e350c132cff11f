// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "image_size.hpp"

namespace bench {

/// A graph that is run on some number of workers.
struct GraphCase {
  /// The name of the variant.
  std::string peer;
  std::string benchmark;
  Size size;
  std::string type;
  /// The units of work of a run, such as hops or pixels, and the bytes that it reads and writes at least.
  double units = 0;
  double bytes = 0;
  /// Runs the graph on this many workers. Returns a line about the result, beginning with "check=".
  std::function<std::string(int workers)> run;
  /// Returns figures that follow from the median of the milliseconds.
  std::function<std::string(double milliseconds)> derived;
};

/// A benchmark and the sizes that it has unless others are asked for.
struct GraphBenchmark {
  std::string name;
  std::vector<std::string> sizes;
  std::function<std::vector<GraphCase>(Size)> cases;
};

/// Chains of empty tasks that pass a pointer on.
std::vector<GraphCase> hop_cases(Size size);
/// A chain of tasks that take a millisecond of processor time, and an idle graph.
std::vector<GraphCase> sleep_cases(Size size);
/// Sobel on a stream of frames.
std::vector<GraphCase> stream_cases(Size size);

std::vector<GraphBenchmark> graph_benchmarks();

}  // namespace bench
