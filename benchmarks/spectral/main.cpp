// SPDX-License-Identifier: BSD-3-Clause
// Measures Fourier transforms of real images beside FFTW's own, by threads on one rank and by FFTW-MPI on
// several. Both make their plans by rules, and run in turn in one process.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "command_line.hpp"
#include "each_point.hpp"
#include "spectral/peer.hpp"
#include "synthetic_image.hpp"
#include "tessera/app/session.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/plan/step_names.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/spectral/dft.hpp"
#include "tessera/view/host_threads.hpp"
#include "turns.hpp"

namespace {

using namespace tessera;
using app::ExitStatus, app::Session;

struct Options {
  int side = 4096;
  int rounds = 11;
  int threads = 0;
  bool steps = false;
  std::string help;
};

Options parse(int argc, char** argv) {
  Options options;
  CLI::App command_line(
      "Measures the half spectrum of real images beside FFTW's own, and prints CSV; start it with mpiexec "
      "for "
      "several ranks.",
      "tessera-bench-dft");
  command_line.add_option("--side", options.side, "The image has so many points along x and y")
      ->check(CLI::Range(2, 32768));
  command_line.add_option("--rounds", options.rounds, "Medians are of so many runs")
      ->check(CLI::Range(1, 10000));
  command_line.add_option("--threads", options.threads, "Threads per rank")
      ->check(CLI::Range(1, most_host_threads));
  command_line.add_flag("--steps", options.steps, "Also print what the steps of Tessera's plan take");
  options.help = bench::parse_arguments(command_line, argc, argv);
  return options;
}

template <class T>
T value_at(int x, int y) {
  return static_cast<T>(bench::synthetic_sample(x + 2, y + 2)) / 65536;
}

template <class T>
struct Image final : BlockSource {
  void read(const HostBlock& block) override {
    bench::each_point<T>(block, [](int x, int y, T& value) { value = value_at<T>(x, y); });
  }
};

/// Compares a half spectrum with that of a peer.
template <class T>
struct Comparison final : BlockSink {
  explicit Comparison(const bench::Peer<T>& other) : peer(other) {}
  void write(const HostBlock& block) override {
    bench::each_point<Kokkos::complex<T>>(block, [this](int x, int y, const Kokkos::complex<T>& value) {
      const double expected = peer.power(x, y);
      if (expected < 0) return;
      const double found = value.real() * double(value.real()) + value.imag() * double(value.imag());
      difference = std::max(difference, std::abs(std::sqrt(found) - std::sqrt(expected)));
      greatest = std::max(greatest, std::sqrt(expected));
    });
  }
  const bench::Peer<T>& peer;
  double difference = 0;
  double greatest = 0;
};

/// The transform as a pipeline, ready to run.
template <class T>
class Transform {
 public:
  Transform(const Session& session, int side)
      : pipeline_(make(side)), instance_(pipeline_, plan_of(session), session.communicator()) {
    Image<T> image;
    instance_.load("input", image);
  }

  void run() { instance_.compute(); }

  /// Returns the seconds of each step of a run.
  std::map<std::string, double> steps() {
    std::map<std::string, double> seconds;
    std::string step;
    double last = MPI_Wtime();
    const auto watch = [&](const std::string& next) {
      const double now = MPI_Wtime();
      if (!step.empty()) seconds[step] += now - last;
      last = now;
      step = next;
    };
    instance_.compute([&](const PlanNode& node) { watch(is_step(node) ? step_label(pipeline_, node) : ""); });
    watch("");
    return seconds;
  }

  void store(BlockSink& sink) { instance_.store("spectrum", sink); }

 private:
  static Pipeline make(int side) {
    const Box image{{0, side}, {0, side}};
    Pipeline pipeline;
    const auto input = pipeline.input<T, 2>("input", image);
    pipeline.output(spectral::dft_of_real<T, 2>(pipeline, "spectrum", input, image),
                    spectral::half_spectrum(image));
    return pipeline;
  }
  Plan plan_of(const Session& session) const {
    Schedule schedule;
    schedule.grid = {{1, 0}};
    Target target;
    target.threads = session.threads();
    target.cache_bytes = cache_to_write_past(target.threads);
    return make_plan(pipeline_, schedule, target, session.rank_count(), session.rank());
  }

  Pipeline pipeline_;
  PlanInstance instance_;
};

template <class T>
void measure(const Session& session, const Options& options, const char* type) {
  bench::Peer<T> peer(options.side, session.threads(), session.communicator());
  Transform<T> transform(session, options.side);
  // FFTW may destroy the input of a transform, but out of place it does not here.
  for (int y = 0; y < peer.rows(); ++y)
    for (int x = 0; x < options.side; ++x)
      peer.input(x, peer.first_row() + y) = value_at<T>(x, peer.first_row() + y);
  bench::Turns turns({session.communicator()},
                     {{"Tessera", [&] { transform.run(); }}, {"FFTW", [&] { peer.run(); }}});
  turns.rounds(options.rounds);
  const std::vector<double> times = turns.medians();
  for (int y = 0; y < peer.rows(); ++y)
    for (int x = 0; x < options.side; ++x)
      peer.input(x, peer.first_row() + y) = value_at<T>(x, peer.first_row() + y);
  transform.run();
  peer.run();
  Comparison<T> comparison(peer);
  transform.store(comparison);
  if (session.rank() == 0)
    fmt::print("{},{}x{},{},{},{:.2f},{:.2f},{:.3f},{:.2g}\n", type, options.side, options.side,
               session.rank_count(), session.threads(), times[0] * 1e-3, times[1] * 1e-3, times[0] / times[1],
               comparison.difference / comparison.greatest);
  if (!options.steps) return;
  for (const auto& [name, seconds] : transform.steps())
    if (session.rank() == 0) fmt::print("  {}: {:.2f} ms\n", name, seconds * 1e3);
}

ExitStatus run(Session& session, int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.help.empty()) {
    if (session.rank() == 0) fmt::print("{}", options.help);
    return ExitStatus::done;
  }
  if (session.rank_count() > 1 && !bench::has_peer_of_ranks())
    throw InputError("several ranks are compared with FFTW-MPI, which this build lacks: start one rank");
  session.start_kokkos(options.threads);
  if (session.rank() == 0)
    fmt::print("type,size,ranks,threads,tessera_ms,fftw_ms,ratio,greatest_relative_difference\n");
  measure<float>(session, options, "float32");
  measure<double>(session, options, "float64");
  return ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) { return app::run_program(argc, argv, "tessera-bench-dft", run); }
