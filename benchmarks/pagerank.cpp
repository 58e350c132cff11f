// SPDX-License-Identifier: BSD-3-Clause
// Times the turns of tessera-pagerank on R-MAT graphs in memory, and prints CSV as the peers do.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apps/pagerank/power_iteration.hpp"
#include "command_line.hpp"
#include "image_size.hpp"
#include "synthetic_image.hpp"
#include "tessera/app/session.hpp"
#include "tessera/view/machine.hpp"
#include "timing.hpp"

namespace {

using pagerank::Link;
using pagerank::Vertex;
using tessera::app::ExitStatus;
using tessera::app::Session;

constexpr double damping = 0.85;
/// The turns of the benchmark `pagerank`, which are timed together.
constexpr int timed_turns = 20;
/// The change at which the turns of the benchmark `pagerank_solve` end.
constexpr double tolerance = 1e-12;

struct Options {
  int threads = 0;
  std::vector<std::string> sizes{"65536x16", "262144x16", "1048576x16"};
  std::vector<std::string> only{"pagerank", "pagerank_solve"};
  int repetitions = 0;
  bool no_header = false;
  /// The text of --help, when it is asked for.
  std::string help;
};

Options parse(int argc, char** argv) {
  Options options;
  CLI::App command_line("Times the turns of tessera-pagerank; start it with mpiexec for several ranks.",
                        "tessera-bench-pagerank");
  command_line.add_option("--threads", options.threads, "Threads per rank")
      ->check(CLI::Range(1, tessera::most_host_threads));
  command_line.add_option("--sizes", options.sizes, "Sizes, VERTICESxLINKS,..., with links for each vertex")
      ->delimiter(',');
  command_line.add_option("--only", options.only, "Benchmarks, of: pagerank, pagerank_solve")->delimiter(',');
  command_line.add_option("--repetitions", options.repetitions, "Timed runs, whatever they take")
      ->check(CLI::Range(3, 1000000));
  command_line.add_flag("--no-header", options.no_header, "No line of column names");
  options.help = bench::parse_arguments(command_line, argc, argv);
  return options;
}

/// Gives a vertex of a graph of a power of two vertices another number, so that numbers say nothing about
/// degrees.
Vertex renamed(Vertex vertex, int scale) {
  const Vertex mask = (Vertex(1) << scale) - 1;
  vertex = vertex * 0x9E3779B1u & mask;
  vertex ^= vertex >> (scale + 1) / 2;
  return vertex * 0x85EBCA77u & mask;
}

/// Returns link number `number` of an R-MAT graph with the probabilities 0.57, 0.19, 0.19 and 0.05
/// (D. Chakrabarti, Y. Zhan and C. Faloutsos, 2004).
Link r_mat_link(int number, int scale) {
  Vertex from = 0, to = 0;
  for (int level = 0; level < scale; ++level) {
    const std::uint32_t hash = bench::synthetic_hash(number, level, 61) >> 16;
    from = 2 * from + (hash >= 49807 ? 1 : 0);
    to = 2 * to + ((hash >= 37356 && hash < 49807) || hash >= 62259 ? 1 : 0);
  }
  return {renamed(from, scale), renamed(to, scale), 1};
}

/// Returns this rank's part of the links of a graph, without loops.
pagerank::Links r_mat_links(const Session& session, bench::Size size) {
  const auto vertices = static_cast<unsigned>(size.width);
  if (!std::has_single_bit(vertices) || vertices < 64)
    throw tessera::InputError("--sizes: the number of vertices is a power of two, 64 at least");
  const int scale = std::countr_zero(vertices);
  const std::int64_t count = std::int64_t(size.width) * size.height;
  pagerank::Links links{.vertices = size.width, .links = {}};
  for (std::int64_t i = session.rank(); i < count; i += session.rank_count()) {
    const Link link = r_mat_link(static_cast<int>(i), scale);
    if (link.from != link.to) links.links.push_back(link);
  }
  return links;
}

/// Times one benchmark on one graph, and prints a line.
void run_case(Session& session, const Options& options, const std::string& name, bench::Size size) {
  const pagerank::RankGraph graph =
      pagerank::distributed(session.communicator(), r_mat_links(session, size), true);
  pagerank::PowerIteration iteration(graph, damping);
  const bool solves = name == "pagerank_solve";
  int turns = 0;
  const auto run = [&] {
    iteration.set_even_ranks();
    iteration.begin();
    for (turns = 1; iteration.turn() > tolerance || !solves; ++turns)
      if (!solves && turns == timed_turns) break;
  };
  const bench::Timing timing = bench::time_together(session.communicator(), options.repetitions, run).front();
  const double per = solves ? 1 : timed_turns;
  const double minimum = timing.minimum / per, median = timing.median / per;
  if (session.rank() != 0) return;
  fmt::print("tessera,{},{},{},f64,{},{:.4f},{:.4f},{},turns={} edges={}\n", name, size.width, size.height,
             session.threads(), minimum, median, session.rank_count(), turns, graph.links);
  std::fflush(stdout);
}

ExitStatus run(Session& session, int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.help.empty()) {
    if (session.rank() == 0) fmt::print("{}", options.help);
    return ExitStatus::done;
  }
  session.start_kokkos(options.threads);
  if (!options.no_header && session.rank() == 0)
    fmt::print("peer,benchmark,width,height,dtype,threads,min_ms,median_ms,ranks,extra\n");
  for (const std::string& text : options.sizes)
    for (const std::string& name : {std::string("pagerank"), std::string("pagerank_solve")})
      if (std::ranges::find(options.only, name) != options.only.end())
        run_case(session, options, name, bench::parse_size(text));
  return ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_program(argc, argv, "tessera-bench-pagerank", run);
}
