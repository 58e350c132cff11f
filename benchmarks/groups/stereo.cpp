// SPDX-License-Identifier: BSD-3-Clause
#include "groups/stereo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "tessera/group/allocation.hpp"
#include "tessera/group/schedule.hpp"

namespace bench {
namespace {

using tessera::cost::TaskCost;
using namespace tessera::group;

/// An operator on square images.
struct StereoOperator {
  double cycles = 0;
  /// The bytes of the images that the host scatters, and of the image that it gathers.
  double scattered_bytes = 0;
  double gathered_bytes = 0;
  /// The bytes that each node receives beside its part: the border of a window.
  double border_bytes = 0;
};

double pixels(int size) { return static_cast<double>(size) * size; }

StereoOperator difference(const StereoModel& model, int size) {
  return {model.difference_cycles * pixels(size), 3 * model.camera_bytes * pixels(size),
          model.image_bytes * pixels(size), 0};
}
StereoOperator error(const StereoModel& model, int size) {
  const double image = model.image_bytes * pixels(size);
  return {model.error_cycles * pixels(size), image, image, 12.0 * size * model.image_bytes};
}
StereoOperator minimum(const StereoModel& model, int size) {
  const double image = model.image_bytes * pixels(size);
  return {model.minimum_cycles * model.disparities * pixels(size), model.disparities * image, image, 0};
}

/// Returns the seconds of an operator on some ranks. The first one of them is the host: it sends each node
/// its part, all compute, and it receives the parts of the result, one message after the other.
double host_node_seconds(const StereoModel& model, const StereoOperator& work, int ranks) {
  const double nodes = ranks - 1;
  const double sent = nodes * model.network.seconds(work.scattered_bytes / ranks + work.border_bytes);
  const double received = nodes * model.network.seconds(work.gathered_bytes / ranks);
  return sent + work.cycles / model.clock_hertz / ranks + received;
}

/// A task of an operator. A group of more ranks than help does not use them all.
Task operator_task(const StereoModel& model, const std::string& name, const std::string& type,
                   const StereoOperator& work, int ranks) {
  std::vector<tessera::cost::TimedRanks> table{{1, host_node_seconds(model, work, 1)}};
  for (int count = 2; count <= ranks; ++count) {
    const double seconds = host_node_seconds(model, work, count);
    if (seconds < table.back().seconds) table.push_back({count, seconds});
  }
  const int most = table.back().ranks;
  return {name, TaskCost::table(std::move(table)), type, most};
}

/// One of both figures: its left side in the plot, and which speedups it has.
struct SpeedupPanel {
  static constexpr double side = 380, top = 50, bottom = top + side;
  double left = 0;
  bool is_mixed = false;

  double x(double ranks) const { return left + side * ranks / 64; }
  double y(double speedup) const { return bottom - side * speedup / 64; }

  std::string axes() const {
    std::string svg = fmt::format(
        "<text x=\"{0}\" y=\"30\" font-size=\"15\">{1} parallel</text>\n"
        "<path d=\"M{0} {2}H{3}V{4}M{0} {4}L{3} {2}\" stroke=\"#bbb\" fill=\"none\"/>\n"
        "<path d=\"M{0} {2}V{4}H{3}\" stroke=\"black\" fill=\"none\"/>\n"
        "<text x=\"{5}\" y=\"{6}\" text-anchor=\"middle\">ranks</text>\n"
        "<text x=\"{0}\" y=\"{2}\" dy=\"-6\" text-anchor=\"end\">speedup</text>\n",
        left, is_mixed ? "data and task" : "data", top, left + side, bottom, left + side / 2, bottom + 38);
    for (int tick = 0; tick <= 64; tick += 8)
      svg += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n"
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
          x(tick), bottom + 18, tick, left - 8, y(tick) + 4, tick);
    return svg;
  }

  std::string draw(const std::vector<Speedups>& speedups) const {
    std::string svg = axes();
    int line = 0;
    for (const int size : {256, 512, 1024}) {
      const std::string_view colour =
          std::array{"#b02a2a", "#2a7a2a", "#2a4ab0"}[static_cast<std::size_t>(line)];
      std::string path;
      for (const Speedups& point : speedups)
        if (point.size == size)
          path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(point.ranks),
                              y(is_mixed ? point.mixed : point.data));
      svg += fmt::format(
          "<path d=\"{0}\" stroke=\"{1}\" stroke-width=\"2\" fill=\"none\"/>\n"
          "<text x=\"{2}\" y=\"{3}\" fill=\"{1}\">{4} x {4}</text>\n",
          path, colour, left + 16, top + 24 + 18 * line, size);
      ++line;
    }
    return svg;
  }
};

/// Returns the seconds of the program on one processor.
double sequential_seconds(const StereoModel& model, int size) {
  const double pair = difference(model, size).cycles + error(model, size).cycles;
  return (model.disparities * pair + minimum(model, size).cycles) / model.clock_hertz;
}

/// Returns the program as a graph where each operator is computed by all ranks: the host scatters its images
/// to the nodes and gathers the result, as the skeletons of the paper do.
TaskGraph data_parallel_program(const StereoModel& model, int size, int ranks) {
  std::vector<Task> tasks;
  std::vector<Edge> edges;
  const auto add = [&](const std::string& name, const std::string& type, const StereoOperator& work) {
    // All ranks take part, as in the paper, also where fewer would be faster: the time is the same on any
    // ranks.
    tasks.push_back({name, TaskCost::amdahl(host_node_seconds(model, work, ranks), 1), type, {}});
  };
  for (int i = 0; i < model.disparities; ++i) {
    add(fmt::format("diff{}", i), "difference", difference(model, size));
    add(fmt::format("err{}", i), "error", error(model, size));
    edges.push_back({TaskId(2 * i), TaskId(2 * i + 1), "difference", 0});
    edges.push_back({TaskId(2 * i + 1), TaskId(2 * model.disparities), "error", 0});
  }
  add("disparity", "minimum", minimum(model, size));
  return {std::move(tasks), std::move(edges)};
}

}  // namespace

TaskGraph mixed_program(const StereoModel& model, int size, int ranks) {
  const int groups = std::min(ranks, model.disparities);
  // The steps in which a group after the other is reached, or all of them by a tree.
  const double steps = model.has_trees ? std::bit_width(static_cast<unsigned>(groups - 1)) : groups - 1;
  const auto image = static_cast<std::int64_t>(model.image_bytes * pixels(size));
  const double broadcast = steps * model.network.seconds(3 * model.camera_bytes * pixels(size));
  // Each group has the least errors of its own disparities, with a byte that names the disparity. They
  // are combined in each step.
  const double own = model.disparities / static_cast<double>(groups);
  const double combined = model.minimum_cycles * pixels(size) / model.clock_hertz;
  const double reduce =
      own * combined + steps * (model.network.seconds(static_cast<double>(image) + pixels(size)) + combined);
  std::vector<Task> tasks{{"broadcast", TaskCost::amdahl(broadcast, 1), "broadcast", 1}};
  std::vector<Edge> edges;
  for (int i = 0; i < model.disparities; ++i) {
    const TaskId diff{2 * i + 1}, err{2 * i + 2};
    tasks.push_back(
        operator_task(model, fmt::format("diff{}", i), "difference", difference(model, size), ranks));
    tasks.push_back(operator_task(model, fmt::format("err{}", i), "error", error(model, size), ranks));
    edges.push_back({TaskId(0), diff, "cameras", 0});
    edges.push_back({diff, err, "difference", image});
    edges.push_back({err, TaskId(2 * model.disparities + 1), "error", 0});
  }
  tasks.push_back({"disparity", TaskCost::amdahl(reduce, 1), "reduce", 1});
  return {std::move(tasks), std::move(edges)};
}

std::vector<Speedups> stereo_speedups(const StereoModel& model) {
  std::vector<Speedups> result;
  for (const int size : {256, 512, 1024})
    for (int ranks = 1; ranks <= 64; ranks *= 2) {
      const double sequential = sequential_seconds(model, size);
      AllocationSettings settings;
      settings.communication = {model.network, Travel::between_hosts};
      settings.strategy = Strategy::data;
      const GroupSchedule data = allocate(data_parallel_program(model, size, ranks), ranks, settings);
      settings.strategy = Strategy::mixed;
      const TaskGraph program = mixed_program(model, size, ranks);
      const GroupSchedule mixed = allocate(program, ranks, settings);
      check_schedule(program, settings.communication, mixed);
      result.push_back(
          {size, ranks, sequential / data.makespan, sequential / mixed.makespan, mixed.strategy});
    }
  return result;
}

std::string stereo_csv(const std::vector<Speedups>& speedups) {
  std::string csv =
      "size,ranks,data_speedup,data_task_speedup,data_efficiency,data_task_efficiency,strategy\n";
  for (const Speedups& point : speedups)
    csv += fmt::format("{},{},{:.2f},{:.2f},{:.3f},{:.3f},{}\n", point.size, point.ranks, point.data,
                       point.mixed, point.data / point.ranks, point.mixed / point.ranks, point.strategy);
  return csv;
}

std::string stereo_svg(const std::vector<Speedups>& speedups) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 500\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n<rect width=\"960\" height=\"500\" fill=\"white\"/>\n{}{}</svg>\n",
      SpeedupPanel{70, false}.draw(speedups), SpeedupPanel{540, true}.draw(speedups));
}

}  // namespace bench
