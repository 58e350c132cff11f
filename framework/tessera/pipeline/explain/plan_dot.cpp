// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/explain/explain.hpp"

#include <fmt/format.h>

#include <array>

#include "tessera/domain/text.hpp"

namespace tessera {
namespace {

constexpr std::array placements = {Placement::distributed, Placement::rank,   Placement::replicated,
                                   Placement::tile,        Placement::window, Placement::outer_tile};

const char* colour(Placement placement) {
  constexpr std::array colours = {"#9ecae1", "#a1d99b", "#fdae6b", "#fff2ae", "#d9d9d9", "#fccde5"};
  return colours[static_cast<std::size_t>(placement)];
}

const char* shape(const ArrayDeclaration& array) {
  if (array.is_spare()) return "folder";
  return array.is_input() ? "cylinder" : array.is_output ? "doubleoctagon" : "box";
}

std::string node(const ArrayDeclaration& stage, const ArrayRegions& regions) {
  std::string label = dot_quoted(stage.name);
  label.pop_back();
  label += fmt::format("\\n{}", name_of(stage.type));
  if (regions.placement == Placement::distributed) label += fmt::format(" on {}", regions.grid.text());
  return fmt::format("{} [label={}\", shape={}, fillcolor=\"{}\"];\n", dot_quoted(stage.name), label,
                     shape(stage), stage.is_spare() ? "#ffffff" : colour(regions.placement));
}

/// Returns, for each array, the stage of the compute node whose frame contains the array, or no_array if no
/// frame contains it. A stage that several consumers compute in their tiles is in the frame of the first
/// consumer.
IdVector<ArrayId, ArrayId> frames(const Algorithm& pipeline, const Plan& plan) {
  auto frames = pipeline.table(no_array);
  walk(plan.root, [&](const PlanNode& node) {
    const auto* step = std::get_if<plan::Compute>(&node.step);
    if (step == nullptr || step->members.size() < 2) return;
    for (ArrayId member : step->members)
      if (ArrayId& frame = frames[member]; frame == no_array) frame = step->stage;
  });
  return frames;
}

std::string legend() {
  std::string text =
      "  subgraph cluster_legend {\n    label=\"computed\";\n    style=rounded;\n    node [shape=box];\n";
  for (Placement placement : placements)
    text += fmt::format("    {} [label={}, fillcolor=\"{}\"];\n",
                        dot_quoted(fmt::format("legend: {}", name_of(placement))),
                        dot_quoted(name_of(placement)), colour(placement));
  return text + "  }\n";
}

}  // namespace

std::string to_dot(const Algorithm& pipeline, const Plan& any_plan, const PlanTotals& totals) {
  std::string text = fmt::format(
      "digraph pipeline {{\n  label={};\n  labelloc=t;\n  node [style=filled, fontname=\"sans-serif\"];\n"
      "  edge [fontname=\"sans-serif\"];\n",
      dot_quoted(fmt::format("on {}", counted(totals.rank_count, "rank"))));
  const IdVector<ArrayId, ArrayId> frame_of = frames(pipeline, any_plan);
  for (ArrayId frame : IdRange(no_array, ArrayId{pipeline.size()})) {
    std::string nodes;
    for (ArrayId id : pipeline.ids())
      if (frame_of[id] == frame)
        nodes +=
            fmt::format("  {}{}", frame == no_array ? "" : "  ", node(pipeline[id], any_plan.stages[id]));
    if (frame != no_array && !nodes.empty())
      nodes =
          fmt::format("  subgraph cluster_{} {{\n    label={};\n    style=dashed;\n{}  }}\n", to_int(frame),
                      dot_quoted(fmt::format("in tiles of {}", pipeline[frame].name)), nodes);
    text += nodes;
  }
  for (ArrayId id : pipeline.ids())
    for (ArrayId input : pipeline[pipeline[id].lead].inputs) {
      const std::int64_t bytes = totals.exchanged_bytes[input];
      text += fmt::format("  {} -> {}{};\n", dot_quoted(pipeline[input].name), dot_quoted(pipeline[id].name),
                          bytes == 0 ? "" : fmt::format(" [label={}]", dot_quoted(human_bytes(bytes))));
    }
  for (const LoopDeclaration& loop : pipeline.loops())
    for (const auto& [from, to] : loop.feeds)
      text +=
          fmt::format("  {} -> {} [style=dashed, constraint=false, label={}];\n",
                      dot_quoted(pipeline[from].name), dot_quoted(pipeline[to].name), dot_quoted(loop.name));
  return text + legend() + "}\n";
}

}  // namespace tessera
