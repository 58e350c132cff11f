// SPDX-License-Identifier: BSD-3-Clause
// Measures what planned pipelines are to reach: stages as fast as loops by hand, cheap runs, gains by fusing,
// loops, plans that know their memory and take little time.
#include <algorithm>

#include "command_line.hpp"
#include "stages/report.hpp"
#include "tessera/view/machine.hpp"

namespace {

using bench::Options;
using tessera::app::ExitStatus;
using tessera::app::Session;

struct Section {
  std::string name;
  void (*measure)(const Session&, const Options&);
  /// Whether it also measures several ranks.
  bool distributed;
};

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"stages", bench::measure_stages, false}, {"runs", bench::measure_runs, false},
      {"fusing", bench::measure_fusing, true},  {"loops", bench::measure_loops, true},
      {"memory", bench::measure_memory, true},  {"planning", bench::measure_planning, false}};
  return all;
}

std::vector<std::string> section_names(bool several_ranks) {
  std::vector<std::string> names;
  for (const Section& section : sections())
    if (section.distributed || !several_ranks) names.push_back(section.name);
  return names;
}

Options parse(int argc, char** argv, bool several_ranks) {
  Options options;
  std::vector<std::string> sizes = {"4096x4096", "1024x1024"};
  options.only = section_names(several_ranks);
  CLI::App command_line(
      "Measures planned pipelines, and prints CSV; start it with mpiexec for several ranks.",
      "tessera-bench-stages");
  command_line.add_option("--threads", options.threads, "Threads per rank")
      ->check(CLI::Range(1, tessera::most_host_threads));
  command_line.add_option("--sizes", sizes, "Sizes of images for stages alone, WxH,...")->delimiter(',');
  command_line.add_option("--only", options.only, fmt::format("Sections: {}", fmt::join(options.only, ", ")))
      ->delimiter(',')
      ->check(CLI::IsMember(options.only));
  command_line.add_option("--rounds", options.rounds, "The number of runs that medians are taken of")
      ->check(CLI::Range(1, 10000));
  command_line.add_flag("--no-header", options.no_header, "No line of column names");
  options.help = bench::parse_arguments(command_line, argc, argv);
  for (const std::string& text : sizes) options.sizes.push_back(bench::parse_size(text));
  return options;
}

ExitStatus run(Session& session, int argc, char** argv) {
  const Options options = parse(argc, argv, session.rank_count() > 1);
  if (!options.help.empty()) {
    if (session.rank() == 0) fmt::print("{}", options.help);
    return ExitStatus::done;
  }
  session.start_kokkos(options.threads);
  if (!options.no_header && session.rank() == 0) bench::print_header();
  for (const Section& section : sections())
    if (std::find(options.only.begin(), options.only.end(), section.name) != options.only.end())
      section.measure(session, options);
  return ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) { return tessera::app::run_program(argc, argv, "tessera-bench-stages", run); }
