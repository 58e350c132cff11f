// SPDX-License-Identifier: BSD-3-Clause
// Operators and chains of them beside functions of OpenCV in sequence, and operators beside those of libvips,
// in turn in one process, on one rank.
#include <fmt/format.h>

#include <cmath>

#include "command_line.hpp"
#include "operators/beside.hpp"
#include "tessera/app/session.hpp"

#ifdef TESSERA_HAS_VIPS
#include "operators/vips.hpp"
#endif

namespace {

using namespace tessera;

/// Prints a line for each case whose name contains `only`, and the geometric mean of the ratios. Returns
/// whether all results agree.
bool measure(const app::Session& session, const std::string& heading, const std::string& peer,
             const std::vector<bench::OperatorCase>& cases, const std::string& only,
             const bench::BesideSettings& settings) {
  session.print(fmt::format("| {} | type | {}, ms | Tessera, ms | ratio |\n| --- | --- | --- | --- | --- |\n",
                            heading, peer));
  double logarithms = 0;
  int count = 0;
  bool agree = true;
  for (const bench::OperatorCase& work : cases) {
    if (work.name.find(only) == std::string::npos) continue;
    const bench::Beside beside = run_beside(work, settings);
    session.print(fmt::format("| {} | {} | {:.2f} | {:.2f} | {:.3f} |{}\n", work.name, name_of(work.type),
                              beside.peer_milliseconds, beside.milliseconds, beside.ratio,
                              beside.difference.empty() ? "" : " differ: " + beside.difference));
    agree = agree && beside.difference.empty();
    logarithms += std::log(beside.ratio);
    ++count;
  }
  if (count > 0) session.print(fmt::format("\nGeometric mean: {:.3f}\n\n", std::exp(logarithms / count)));
  return agree;
}

app::ExitStatus run(app::Session& session, int argc, char** argv) {
  CLI::App command_line("Operators and chains of them beside OpenCV, or operators beside libvips");
  bench::BesideSettings settings;
  std::string only;
  bool chains = true, single = true, vips = false;
  command_line.add_option("--size", settings.size, "Points along x and y")->check(CLI::Range(64, 32768));
  command_line.add_option("--threads", settings.threads, "Threads")->check(CLI::Range(1, 1024));
  command_line.add_option("--rounds", settings.rounds, "How often each is timed")->check(CLI::Range(1, 1000));
  command_line.add_option("--only", only, "Measure only cases whose names contain this text");
  command_line.add_flag("!--no-chains", chains, "Measure no chains");
  command_line.add_flag("!--no-single", single, "Measure no single operators");
#ifdef TESSERA_HAS_VIPS
  command_line.add_flag("--libvips", vips, "Measure single operators beside libvips, and nothing else");
#endif
  command_line.add_flag(
      "--processor-time", settings.processor_time,
      "Take the time of the processor, with one thread: for a machine that does other things, too");
  if (const std::string help = bench::parse_arguments(command_line, argc, argv); !help.empty()) {
    session.print(help);
    return app::ExitStatus::done;
  }
  if (settings.processor_time) settings.threads = 1;
  session.start_kokkos(settings.threads);
  cv::setNumThreads(settings.threads);
  bool agree = true;
#ifdef TESSERA_HAS_VIPS
  if (vips) {
    bench::start_vips(settings.threads);
    agree &= measure(session, "operator", "libvips", bench::vips_operators(), only, settings);
  }
#endif
  if (chains && !vips) agree &= measure(session, "chain", "OpenCV", bench::operator_chains(), only, settings);
  if (single && !vips)
    agree &= measure(session, "operator", "OpenCV", bench::single_operators(), only, settings);
  if (!agree) session.print("Results of Tessera and its peer differ by more than rounding\n");
  return agree ? app::ExitStatus::done : app::ExitStatus::internal_error;
}

}  // namespace

int main(int argc, char** argv) { return tessera::app::run_program(argc, argv, "tessera-bench-chains", run); }
