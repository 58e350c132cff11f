// SPDX-License-Identifier: BSD-3-Clause
// Times Tessera's pipelines in memory, as the Halide and OpenCV peers are timed, and prints their CSV.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "apps/blur/stages.hpp"
#include "command_line.hpp"
#include "each_point.hpp"
#include "synthetic_image.hpp"
#include "tessera/app/session.hpp"
#include "tessera/pipeline/explain.hpp"
#include "tessera/pipeline/plan_instance.hpp"
#include "timing.hpp"

namespace {

using bench::each_point;
using bench::Size;
using tessera::Box;
using tessera::Coordinate;
using tessera::app::ExitStatus;
using tessera::app::Session;
using Pixel = std::uint16_t;

struct Options {
  int threads = 0;
  std::vector<std::string> sizes{"4096x4096"};
  std::vector<std::string> only{"blur", "copy"};
  std::string schedule = "tile";
  bool no_header = false;
  /// The text of --help, when it is asked for.
  std::string help;
};

/// The mean of three as the peers define it: in uint16, whose sum may wrap.
struct PeersMean {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& a, const V& b, const V& c) const {
    return tessera::cast<Pixel>(tessera::cast<Pixel>(a + b + c) / 3);
  }
};

/// Blur input: 12 bits, as the peers' sums of three must not wrap either.
Pixel sample(int x, int y) { return static_cast<Pixel>(bench::synthetic_sample(x, y) >> 4); }

Options parse(int argc, char** argv) {
  Options options;
  CLI::App command_line("Times Tessera's pipelines; start it with mpiexec for several ranks.",
                        "tessera-bench");
  command_line.add_option("--threads", options.threads, "Threads per rank")->check(CLI::Range(1, 4096));
  command_line.add_option("--sizes", options.sizes, "Sizes, WxH,...")->delimiter(',');
  command_line.add_option("--only", options.only, "Benchmarks: blur, copy")->delimiter(',');
  command_line.add_option("--schedule", options.schedule, "Where the first stage is computed")
      ->check(CLI::IsMember({"distributed", "rank", "replicated", "tile"}));
  command_line.add_flag("--no-header", options.no_header, "No line of column names");
  options.help = bench::parse_arguments(command_line, argc, argv);
  return options;
}

tessera::Schedule schedule_named(const std::string& name) {
  tessera::Schedule schedule;
  for (auto placement : {tessera::Placement::distributed, tessera::Placement::rank,
                         tessera::Placement::replicated, tessera::Placement::tile})
    if (name_of(placement) == name) schedule.stages["bh"].placement = placement;
  return schedule;
}

/// The blur of a (W + 2) x (H + 2) image to W x H, ready to run.
class BlurCase {
 public:
  BlurCase(Session& session, Size size, const tessera::Schedule& schedule)
      : session_(session),
        size_(size),
        pipeline_(blur::make_pipeline<Pixel, 2, PeersMean>(Box{{-1, size.width + 1}, {-1, size.height + 1}},
                                                           Box{{0, size.width}, {0, size.height}},
                                                           tessera::Boundary::none)),
        instance_(pipeline_,
                  tessera::make_plan(pipeline_, schedule, {session.threads(), !tessera::runs_on_host},
                                     session.rank_count(), session.rank()),
                  session.communicator()) {
    FillInput source;
    instance_.load("input", source);
  }

  void run() {
    instance_.compute([this](const tessera::PlanNode& node) { watch(node); });
    watch({});
  }

  /// Throws InternalError when a point of the result is wrong.
  void check() {
    CheckOutput sink;
    instance_.store("bv", sink);
  }

  void print(const bench::Timing& timing) const {
    const double bytes =
        (double(size_.width + 2) * (size_.height + 2) + double(size_.width) * size_.height) * 2;
    double peak = static_cast<double>(instance_.plan().peak_bytes()), share = exchange_ / total_;
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_MAX, session_.communicator());
    MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_DOUBLE, MPI_MAX, session_.communicator());
    if (session_.rank() == 0)
      fmt::print("tessera,blur,{},{},u16,{},{:.4f},{:.4f},{},{:.2f},{:.0f},{:.1f},{:.1f}\n", size_.width,
                 size_.height, session_.threads(), timing.minimum, timing.median, session_.rank_count(),
                 bytes / timing.median / 1e6, bytes, peak / 1048576, 100 * share);
  }

 private:
  struct FillInput final : tessera::BlockSource {
    void read(const tessera::HostBlock& block) override {
      each_point<Pixel>(block, [](int x, int y, Pixel& pixel) { pixel = sample(x + 1, y + 1); });
    }
  };
  struct CheckOutput final : tessera::BlockSink {
    void write(const tessera::HostBlock& block) override {
      const auto row = [](int x, int y) { return (sample(x, y) + sample(x + 1, y) + sample(x + 2, y)) / 3; };
      each_point<Pixel>(block, [&](int x, int y, const Pixel& pixel) {
        if (pixel != (row(x, y) + row(x, y + 1) + row(x, y + 2)) / 3)
          throw tessera::InternalError(fmt::format("the blur is wrong at ({}, {})", x, y));
      });
    }
  };

  /// Adds up the time between the steps of runs.
  void watch(const tessera::PlanNode& node) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    if (running_) total_ += seconds;
    if (exchanging_) exchange_ += seconds;
    last_ = now;
    running_ = !std::holds_alternative<tessera::plan::Sequence>(node.step);
    exchanging_ = std::holds_alternative<tessera::plan::Exchange>(node.step);
  }

  Session& session_;
  Size size_;
  tessera::Pipeline pipeline_;
  tessera::PlanInstance instance_;
  std::chrono::steady_clock::time_point last_;
  bool running_ = false;
  bool exchanging_ = false;
  double total_ = 1e-9;
  double exchange_ = 0;
};

/// A plain copy of the rank's share of an image: the limit that memory sets.
class CopyCase {
 public:
  CopyCase(Session& session, Size size)
      : session_(session),
        size_(size),
        rows_((size.height + session.rank_count() - 1) / session.rank_count()),
        from_("from", sizeof(Pixel), Box{{0, size.width}, {0, rows_}}, 0),
        to_("to", sizeof(Pixel), Box{{0, size.width}, {0, rows_}}, 0) {}

  void run() {
    using Policy = Kokkos::RangePolicy<tessera::ExecutionSpace, Kokkos::Schedule<Kokkos::Static>>;
    const tessera::ExecutionSpace execution;
    const tessera::Accessor<const Pixel, 2> from(from_.reference());
    const tessera::Accessor<Pixel, 2> to(to_.reference());
    if constexpr (tessera::runs_on_host)
      Kokkos::parallel_for("copy", Policy(execution, 0, rows_), CopyRow{from, to, size_.width});
    else
      Kokkos::deep_copy(execution, to_.memory(), from_.memory());
    execution.fence();
  }

  void print(const bench::Timing& timing) const {
    const double bytes = 2.0 * size_.width * size_.height * sizeof(Pixel);
    if (session_.rank() == 0)
      fmt::print("tessera,copy,{},{},u16,{},{:.4f},{:.4f},{},{:.2f},{:.0f},{:.1f},0.0\n", size_.width,
                 size_.height, session_.threads(), timing.minimum, timing.median, session_.rank_count(),
                 bytes / timing.median / 1e6, bytes, double(from_.bytes() + to_.bytes()) / 1048576);
  }

 private:
  struct CopyRow {
    tessera::Accessor<const Pixel, 2> from;
    tessera::Accessor<Pixel, 2> to;
    int width;
    [[maybe_unused]] KOKKOS_FUNCTION void operator()(int y) const {  // devices copy in one call
      const Pixel* KOKKOS_RESTRICT read = &from(Coordinate(0), Coordinate(y));
      Pixel* KOKKOS_RESTRICT write = &to(Coordinate(0), Coordinate(y));
#pragma omp simd
      for (int x = 0; x < width; ++x) write[x] = read[x];
    }
  };

  Session& session_;
  Size size_;
  int rows_;
  tessera::Block<> from_;
  tessera::Block<> to_;
};

void run_size(Session& session, const Options& options, Size size) {
  const auto wanted = [&](const char* name) {
    return std::find(options.only.begin(), options.only.end(), name) != options.only.end();
  };
  if (!wanted("blur") && !wanted("copy")) return;
  // Both are always timed, so that their ratio comes from the same minutes.
  BlurCase blur(session, size, schedule_named(options.schedule));
  CopyCase copy(session, size);
  const auto timings = bench::time_together(
      session.communicator(), [&] { blur.run(); }, [&] { copy.run(); });
  blur.check();
  if (wanted("blur")) blur.print(timings[0]);
  if (wanted("copy")) copy.print(timings[1]);
}

ExitStatus run(Session& session, int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.help.empty()) {
    if (session.rank() == 0) fmt::print("{}", options.help);
    return ExitStatus::done;
  }
  std::vector<Size> sizes;
  for (const std::string& text : options.sizes) sizes.push_back(bench::parse_size(text));
  session.start_kokkos(options.threads);
  if (!options.no_header && session.rank() == 0)
    fmt::print(
        "peer,benchmark,width,height,dtype,threads,min_ms,median_ms,ranks,gb_s,bytes,peak_mib,mpi_percent\n");
  for (Size size : sizes) run_size(session, options, size);
  return ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) { return tessera::app::run_program(argc, argv, "tessera-bench", run); }
