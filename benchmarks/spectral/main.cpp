// SPDX-License-Identifier: BSD-3-Clause
// Measures Fourier transforms of real images beside FFTW's own, by threads on one rank and by FFTW-MPI on
// several. Both make their plans by rules, and run in turn in one process.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>

#include "command_line.hpp"
#include "each_point.hpp"
#include "spectral/peer.hpp"
#include "synthetic_image.hpp"
#include "tessera/app/session.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/spectral/dft.hpp"
#include "tessera/view/machine.hpp"
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
      "for several ranks.",
      "tessera-bench-dft");
  command_line.add_option("--side", options.side, "The points of the image along x and along y")
      ->check(CLI::Range(2, 32768));
  command_line.add_option("--rounds", options.rounds, "The number of runs that medians are taken of")
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
class Comparison final : public BlockSink {
 public:
  explicit Comparison(const bench::Peer<T>& other) : peer_(other) {}
  void write(const HostBlock& block) override {
    bench::each_point<Kokkos::complex<T>>(block, [this](int x, int y, const Kokkos::complex<T>& value) {
      const auto known = peer_.frequency(x, y);
      if (!known) return;
      const std::complex<double> expected(*known), found(value.real(), value.imag());
      difference_ = std::max(difference_, std::abs(found - expected));
      greatest_ = std::max(greatest_, std::abs(expected));
      ++compared_;
    });
  }
  /// Returns the greatest difference of all ranks, divided by the greatest magnitude of all ranks.
  /// Collective. Throws InternalError unless each of the `count` frequencies was compared.
  double relative_difference(MPI_Comm communicator, std::int64_t count) {
    double greatest_of_ranks[2] = {difference_, greatest_};
    MPI_Allreduce(MPI_IN_PLACE, greatest_of_ranks, 2, MPI_DOUBLE, MPI_MAX, communicator);
    std::int64_t compared_by_ranks = compared_;
    MPI_Allreduce(MPI_IN_PLACE, &compared_by_ranks, 1, MPI_INT64_T, MPI_SUM, communicator);
    if (compared_by_ranks != count)
      throw InternalError(fmt::format("{} of {} frequencies were compared", compared_by_ranks, count));
    return greatest_of_ranks[0] / greatest_of_ranks[1];
  }

 private:
  const bench::Peer<T>& peer_;
  double difference_ = 0;
  double greatest_ = 0;
  std::int64_t compared_ = 0;
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

/// Gives the rank's rows of the input of a peer the values of the image. FFTW-MPI may destroy the input of a
/// transform, so that it is filled again before results are compared.
template <class T>
void fill(bench::Peer<T>& peer, int side) {
  for (int y = peer.first_row(); y < peer.first_row() + peer.rows(); ++y)
    for (int x = 0; x < side; ++x) peer.input(x, y) = value_at<T>(x, y);
}

template <class T>
void measure(const Session& session, const Options& options, const char* type) {
  bench::Peer<T> peer(options.side, session.threads(), session.communicator());
  Transform<T> transform(session, options.side);
  fill(peer, options.side);
  bench::Turns turns({session.communicator()},
                     {{"Tessera", [&] { transform.run(); }}, {"FFTW", [&] { peer.run(); }}});
  turns.rounds(options.rounds);
  const std::vector<double> times = turns.medians();
  fill(peer, options.side);
  transform.run();
  peer.run();
  Comparison<T> comparison(peer);
  transform.store(comparison);
  const std::int64_t frequencies = spectral::half_spectrum({{0, options.side}, {0, options.side}}).size();
  const double difference = comparison.relative_difference(session.communicator(), frequencies);
  if (session.rank() == 0)
    fmt::print("{},{}x{},{},{},{:.2f},{:.2f},{:.3f},{:.2g}\n", type, options.side, options.side,
               session.rank_count(), session.threads(), times[0] * 1e-3, times[1] * 1e-3, times[0] / times[1],
               difference);
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
