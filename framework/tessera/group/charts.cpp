// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tessera/domain/text.hpp"

namespace tessera::group {
namespace {

constexpr double chart_left = 70, chart_top = 64, chart_width = 1060, chart_bottom = 46;

/// Returns a light colour of a hue in degrees as #rrggbb, which every reader of SVG knows.
std::string light_colour(double hue) {
  const auto channel = [hue](double offset) {
    const double place = std::fmod(offset + hue / 30, 12);
    // The lightness is 0.72 and the saturation 0.55 (HSL).
    const double share = 0.72 - 0.154 * std::clamp(std::min(place - 3, 9 - place), -1.0, 1.0);
    return static_cast<int>(std::lround(255 * share));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}

/// Returns the sentence below a table and above a chart.
std::string summary(const GroupSchedule& schedule) {
  std::string text = fmt::format("strategy {}, {}, ", schedule.strategy, counted(schedule.ranks, "rank"));
  text += schedule.period > 0 ? fmt::format("period {:.6g} s ({:.4g} items per second), latency {:.6g} s",
                                            schedule.period, 1 / schedule.period, schedule.makespan)
                              : fmt::format("makespan {:.6g} s", schedule.makespan);
  if (schedule.lower_bound > 0)
    text += fmt::format(", {:.3f} of the lower bound {:.6g} s", schedule.aim() / schedule.lower_bound,
                        schedule.lower_bound);
  return text;
}

/// Returns a distance of ticks of 1, 2 or 5 times a power of ten. There are then at most `most` ticks.
double tick_distance(double length, double most) {
  const double power = std::pow(10, std::floor(std::log10(length / most)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (length / (factor * power) <= most) return factor * power;
  return 10 * power;
}

/// Draws the chart of one schedule.
class Chart {
 public:
  Chart(const TaskGraph& graph, const GroupSchedule& schedule)
      : graph_(graph),
        schedule_(schedule),
        items_(schedule.period > 0 ? 3 : 1),
        seconds_(std::max(schedule.makespan + (items_ - 1) * schedule.period, 1e-300)),
        row_(std::clamp(600.0 / schedule.ranks, 0.6, 28.0)) {
    for (const Task& task : graph.tasks()) kinds_.emplace(kind(task), kinds_.size());
  }

  std::string draw() const {
    const double height = chart_top + row_ * schedule_.ranks + chart_bottom;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 {:.1f}\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"1200\" height=\"{:.1f}\" fill=\"white\"/>\n"
        "<text x=\"{}\" y=\"22\" font-size=\"15\">{}</text>\n",
        height, height, chart_left, xml_escaped(summary(schedule_)));
    svg += legend() + axes();
    for (int item = items_; item-- > 0;)
      for (const ScheduledTask& placed : schedule_.tasks) svg += boxes(placed, item);
    return svg + "</svg>\n";
  }

 private:
  /// Returns the text that decides the colour of a task.
  static const std::string& kind(const Task& task) { return task.type.empty() ? task.name : task.type; }

  std::string colour(const Task& task) const {
    // The golden angle keeps the hues of any number of kinds apart.
    return light_colour(std::fmod(210 + 137.508 * static_cast<double>(kinds_.at(kind(task))), 360));
  }

  double x(double seconds) const { return chart_left + chart_width * seconds / seconds_; }
  double y(int rank) const { return chart_top + row_ * rank; }

  std::string legend() const {
    std::string svg;
    double left = chart_left;
    std::map<std::string, bool> is_drawn;
    for (const Task& task : graph_.tasks()) {
      const std::string& name = kind(task);
      const double width = 22 + 7.0 * static_cast<double>(name.size());
      if (is_drawn[name] || left + width > chart_left + chart_width) continue;
      is_drawn[name] = true;
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"34\" width=\"12\" height=\"12\" fill=\"{}\"/><text x=\"{:.1f}\" "
          "y=\"45\">{}</text>\n",
          left, colour(task), left + 16, xml_escaped(name));
      left += width + 8;
    }
    return svg;
  }

  std::string axes() const {
    const double bottom = y(schedule_.ranks);
    std::string svg = fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{:.1f}\" fill=\"#f7f7f7\" stroke=\"#888\"/>\n",
        chart_left, chart_top, chart_width, bottom - chart_top);
    const double step = tick_distance(seconds_, 10);
    for (int i = 0; i * step <= seconds_ * (1 + 1e-9); ++i)
      svg += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#ccc\"/><text x=\"{0:.1f}\" y=\"{3:.1f}\" "
          "text-anchor=\"middle\">{4:.6g}</text>\n",
          x(i * step), chart_top, bottom, bottom + 16, i * step);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">seconds</text>\n",
                       chart_left + chart_width / 2, bottom + 34);
    const int ranks_step = std::max(1, static_cast<int>(tick_distance(schedule_.ranks, 16)));
    for (int rank = 0; rank < schedule_.ranks; rank += ranks_step)
      svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", chart_left - 6,
                         y(rank) + std::min(row_ / 2 + 4, 12.0), rank);
    return svg + fmt::format(
                     "<text x=\"16\" y=\"{:.1f}\" transform=\"rotate(-90 16 {:.1f})\" "
                     "text-anchor=\"middle\">ranks</text>\n",
                     (chart_top + bottom) / 2, (chart_top + bottom) / 2);
  }

  std::string boxes(const ScheduledTask& placed, int item) const {
    const Task& task = graph_.tasks()[placed.task];
    const double begin = x(placed.start + item * schedule_.period),
                 end = x(placed.finish + item * schedule_.period);
    std::string svg =
        fmt::format("<g opacity=\"{:.2f}\"><title>{}: ranks {}, {:.6g} to {:.6g} s</title>\n", 1 - 0.3 * item,
                    xml_escaped(task.name), ranges_text(placed.ranks), placed.start + item * schedule_.period,
                    placed.finish + item * schedule_.period);
    for (const RankRange& range : ranges_of(placed.ranks)) {
      const double top = y(range.begin), height = row_ * range.size();
      svg += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" stroke=\"#444\" "
          "stroke-width=\"0.5\"/>\n",
          begin, top, end - begin, height, colour(task));
      const double size = std::min(13.0, 0.8 * height);
      if (size < 5 || 0.62 * size * static_cast<double>(task.name.size()) > end - begin) continue;
      svg += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
          (begin + end) / 2, top + height / 2 + 0.35 * size, size, xml_escaped(task.name));
    }
    return svg + "</g>\n";
  }

  const TaskGraph& graph_;
  const GroupSchedule& schedule_;
  /// The number of items of a stream that are drawn; 1 without a stream.
  int items_;
  /// The seconds that the chart shows.
  double seconds_;
  /// The height of a rank.
  double row_;
  /// The texts that decide colours, and their numbers.
  std::map<std::string, std::size_t> kinds_;
};

}  // namespace

std::string to_text(const TaskGraph& graph, const GroupSchedule& schedule) {
  std::size_t name_width = 4, ranks_width = 5;
  for (const ScheduledTask& placed : schedule.tasks) {
    name_width = std::max(name_width, graph.tasks()[placed.task].name.size());
    ranks_width = std::max(ranks_width, ranges_text(placed.ranks).size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:>12}  {:>12}  {:>7}\n", "task", name_width, "ranks",
                                 ranks_width, "start/s", "finish/s", "share");
  for (const ScheduledTask& placed : schedule.tasks) {
    const double share = schedule.makespan > 0 ? (placed.finish - placed.start) / schedule.makespan : 0;
    text += fmt::format("{:<{}}  {:<{}}  {:>12.6g}  {:>12.6g}  {:>5.1f} %\n", graph.tasks()[placed.task].name,
                        name_width, ranges_text(placed.ranks), ranks_width, placed.start, placed.finish,
                        100 * share);
  }
  return text + summary(schedule) + "\n";
}

std::string to_svg(const TaskGraph& graph, const GroupSchedule& schedule) {
  return Chart(graph, schedule).draw();
}

namespace {

/// Returns a colour of Graphviz for each list of ranks. Hues differ by the golden angle.
std::string colour_of_group(std::size_t group) {
  const double turns = static_cast<double>(group) * 0.618033988749895;
  return fmt::format("{:.3f} 0.25 1.0", turns - static_cast<double>(static_cast<std::int64_t>(turns)));
}

std::string node(const TaskGraph& graph, TaskId id, const ScheduledTask* placed, const std::string& colour) {
  const Task& task = graph.tasks()[id];
  // Graphviz breaks lines at \n, which dot_quoted would take for a backslash of the name.
  std::string label = dot_quoted(task.name);
  label.pop_back();
  if (!task.type.empty() && task.type != task.name)
    label += "\\n" + dot_quoted(task.type).substr(1, dot_quoted(task.type).size() - 2);
  label += fmt::format("\\n{:.4g} s on 1 rank", graph.seconds(id, 1));
  if (placed != nullptr)
    label += fmt::format("\\n{:.4g} s on {}: {}", placed->finish - placed->start,
                         counted(static_cast<std::int64_t>(placed->ranks.size()), "rank"),
                         ranges_text(placed->ranks));
  const std::string fill = colour.empty() ? "" : fmt::format(", style=filled, fillcolor=\"{}\"", colour);
  return fmt::format("  task{} [label={}\"{}];\n", to_int(id), label, fill);
}

}  // namespace

std::string to_dot(const TaskGraph& graph, const GroupSchedule* schedule) {
  IdVector<TaskId, const ScheduledTask*> placed(graph.size(), nullptr);
  std::map<std::vector<int>, std::size_t> groups;
  if (schedule != nullptr)
    for (const ScheduledTask& task : schedule->tasks) {
      placed[task.task] = &task;
      groups.emplace(task.ranks, groups.size());
    }
  std::string text = "digraph tasks {\n  node [shape=box];\n";
  for (const TaskId id : graph.tasks().ids()) {
    const ScheduledTask* const own = placed[id];
    text += node(graph, id, own, own == nullptr ? "" : colour_of_group(groups.at(own->ranks)));
  }
  for (const Edge& edge : graph.edges()) {
    std::string label = dot_quoted(edge.array);
    label.pop_back();
    if (edge.bytes > 0)
      label += fmt::format("{}{}", edge.array.empty() ? "" : "\\n", human_bytes(edge.bytes));
    text += fmt::format("  task{} -> task{} [label={}\"];\n", to_int(edge.from), to_int(edge.to), label);
  }
  return text + "}\n";
}

}  // namespace tessera::group
