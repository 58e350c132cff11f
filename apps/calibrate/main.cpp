// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "speeds.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/app/job_application.hpp"
#include "tessera/app/machine_file.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/machine.hpp"

namespace {

using namespace tessera;

/// The number of messages of each length, for an effort of 1. The fastest one counts.
constexpr double messages_per_length = 20;

/// The greatest ratio between two measurements of a speed that needs no remark.
constexpr double most_spread = 1.5;

/// Measures the machine on which the ranks run.
class Calibration {
 public:
  explicit Calibration(const app::ToolSetting& setting)
      : setting_(setting), places_(rank_places(setting.session.communicator())) {}

  /// Measures everything, and prints the results. Collective.
  void run() {
    setting_.runner.begin("speeds");
    machine_ = cost::generic_machine();
    machine_.name = setting_.deck.get<std::string>("name");
    machine_.processor = cost::own_processor();
    machine_.sockets = 1;
    machine_.cores = cost::own_cores();
    machine_.nodes = count_nodes();
    const double spread = calibrate::measure_speeds(
        {setting_.session.communicator(), is_on_node_of_rank_0(setting_.session.rank()), setting_.threads,
         setting_.deck.get<double>("effort")},
        machine_);
    say_speeds();
    if (spread > most_spread)
      remark(fmt::format(
          "Speeds differed by up to a factor of {:.1f} while they were measured: let the machine do "
          "nothing else, and measure again.",
          spread));
    setting_.runner.begin("messages");
    measure_messages();
  }

  /// Returns the text of the machine file. It has the results and the remarks.
  std::string text() const { return app::machine_text(machine_, remarks_); }

 private:
  bool is_on_node_of_rank_0(int rank) const {
    return places_[static_cast<std::size_t>(rank)].node == places_.front().node;
  }
  std::int64_t count_nodes() const {
    std::set<int> nodes;
    for (const RankPlace& place : places_) nodes.insert(place.node);
    return static_cast<std::int64_t>(nodes.size());
  }
  void say(const std::string& line) const { setting_.runner.say(line); }
  /// Prints a line that the machine file has, too, as a comment.
  void remark(std::string line) {
    say(line);
    remarks_.push_back(std::move(line));
  }

  void say_speeds() {
    const auto row = [this](const char* what, const cost::Speed& speed, const char* unit) {
      say(fmt::format("{:<22}{:>12.2f}{:>15.2f}  {}", what, speed.thread * 1e-9, speed.all * 1e-9, unit));
    };
    say(fmt::format("{:<22}{:>12}{:>15}", "", "one thread", counted(machine_.threads, "thread")));
    row("copies in memory", machine_.memory, "GB/s");
    row("copies in last cache", machine_.last_cache, "GB/s");
    say(fmt::format("{:<22}{:>12.2f}{:>15}  GB/s", "sums in near cache", machine_.near_cache_thread * 1e-9,
                    ""));
    row("arithmetic of float", machine_.arithmetic, "GFlop/s");
    say(fmt::format("{:<22}{:>27.2f}  us", "launch of a kernel", machine_.launch_all_seconds * 1e6));
    remark(fmt::format("Speeds: {} of {}, copies in memory and in {} of last cache, by {} x {}.",
                       counted(machine_.threads, "thread"), counted(machine_.node_cores(), "core"),
                       human_bytes(machine_.last_cache_bytes), counted(setting_.session.rank_count(), "rank"),
                       counted(setting_.threads, "thread")));
    if (setting_.threads > 1)
      remark("Not measured: launch.thread, which needs ranks with one thread each: some laptop's is given.");
  }

  /// Measures messages between rank 0 and another rank on its node, and between rank 0 and a rank on another
  /// node, if there are such ranks.
  void measure_messages() {
    const int rank_count = setting_.session.rank_count();
    int inside = 1, outside = 1;
    while (inside < rank_count && !is_on_node_of_rank_0(inside)) ++inside;
    while (outside < rank_count && is_on_node_of_rank_0(outside)) ++outside;
    if (inside < rank_count)
      machine_.within_node = network_to(inside, "within a node");
    else
      remark(
          "Not measured: network.within, which needs two ranks on a node: some laptop's is "
          "given.");
    if (outside < rank_count) machine_.between_nodes = network_to(outside, "between nodes");
  }

  /// Measures messages between rank 0 and `partner`, and returns their cost on all ranks. Collective.
  cost::NetworkCost network_to(int partner, const char* where) {
    const MPI_Comm communicator = setting_.session.communicator();
    const int rank = setting_.session.rank();
    cost::NetworkCost network;
    std::string text;
    if (rank == 0 || rank == partner) {
      const auto times =
          static_cast<int>(std::ceil(messages_per_length * setting_.deck.get<double>("effort")));
      const std::vector<cost::MeasuredPoint> points = calibrate::ping_pong(communicator, partner, times);
      const cost::LineFit line = cost::fit_cost(points);
      network = {line.intercept, line.slope};
      say(table(points, line, where));
      text = fmt::format(
          "Messages {}: {:.3g} us and {:.3g} ns per byte, of the fastest of {} each; the line is off by "
          "{:.0f} %.",
          where, line.intercept * 1e6, line.slope * 1e9, times, line.relative_error * 100);
    }
    // The two members are sent as two numbers.
    static_assert(sizeof network == 2 * sizeof(double));
    MPI_Bcast(&network, 2, MPI_DOUBLE, 0, communicator);
    remark(text);
    return network;
  }

  /// Returns the measured time of each length of messages, and the time by the line.
  static std::string table(const std::vector<cost::MeasuredPoint>& points, const cost::LineFit& line,
                           const char* where) {
    std::string text = fmt::format("\nmessages {}\n{:>12}{:>12}{:>12}", where, "bytes", "us", "line us");
    for (const cost::MeasuredPoint& point : points)
      text += fmt::format("\n{:>12.0f}{:>12.2f}{:>12.2f}", point.x, point.y * 1e6, line.at(point.x) * 1e6);
    return text;
  }

  const app::ToolSetting& setting_;
  std::vector<RankPlace> places_;
  cost::MachineDescription machine_;
  std::vector<std::string> remarks_;
};

app::ExitStatus run(const app::ToolSetting& setting) {
  const std::string path = setting.deck.get<std::string>("output");
  app::check_names(setting.taken, {{"output:", path}});
  io::TextFile file(setting.session.communicator(), path);
  if (setting.only_checks) return app::ExitStatus::done;
  setting.session.start_kokkos(setting.threads);
  Calibration calibration(setting);
  calibration.run();
  file.write(calibration.text());
  setting.runner.say(fmt::format("wrote {}", path));
  return app::ExitStatus::done;
}

}  // namespace

int main(int argc, char** argv) {
  const app::ToolApplication application{
      .program = "tessera-calibrate",
      .summary = "Measures this machine, and writes a machine file for --estimate.",
      .keys = {{.name = "output",
                .type = deck::ValueType::path,
                .group = "Files",
                .help = "The machine file, in YAML",
                .required = true},
               {.name = "name",
                .type = deck::ValueType::text,
                .group = "Calibration",
                .help = "The name of the machine in the file",
                .default_text = "calibrated"},
               {.name = "effort",
                .type = deck::ValueType::real,
                .group = "Calibration",
                .help = "The factor of the time that measurements take; 1 takes some seconds",
                .default_text = "1",
                .minimum = 0.05,
                .maximum = 1000}},
      .run = run};
  return app::run_tool_application(argc, argv, application);
}
