// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/explain.hpp"

#include <fmt/format.h>

#include <array>

namespace tessera {
namespace {

std::int64_t bytes_of(const Pipeline& pipeline, int array, const std::vector<Message>& messages) {
  std::int64_t bytes = 0;
  for (const Message& message : messages)
    bytes += message.box.size() * static_cast<std::int64_t>(size_of(pipeline[array].type));
  return bytes;
}

/// Writes the nodes of a tree, one line each, indented.
struct StepPrinter {
  const Pipeline& pipeline;
  std::string text;
  int depth = 0;

  void print(const PlanNode& node) {
    text += fmt::format("  {:>4} {:{}}", node.id, "", 2 * depth);
    std::visit([this](const auto& step) { (*this)(step); }, node.step);
  }
  const std::string& name(int id) const { return pipeline[id].name; }

  void operator()(const plan::Sequence& step) {
    text += step.name + "\n";
    ++depth;
    for (const PlanNode& child : step.children) print(child);
    --depth;
  }
  template <class Step>
  requires requires(const Step& step) { step.children; }
  void operator()(const Step& step) {
    text += "inner\n";
    ++depth;
    for (const PlanNode& child : step.children) print(child);
    --depth;
  }
  void operator()(const plan::Allocate& step) { text += fmt::format("allocate buffer {}\n", step.buffer); }
  void operator()(const plan::Free& step) { text += fmt::format("free buffer {}\n", step.buffer); }
  void operator()(const plan::Reduce& step) { text += fmt::format("reduce {}\n", name(step.stage)); }
  void operator()(const plan::Swap& step) {
    text += fmt::format("swap {} and {}\n", name(step.first), name(step.second));
  }
  void operator()(const plan::FinishExchange& step) {
    text += fmt::format("finish exchange {}\n", step.exchange);
  }
  void operator()(const plan::Read& step) {
    text += fmt::format("read {} {}\n", name(step.array), to_string(step.box));
  }
  void operator()(const plan::Write& step) {
    text += fmt::format("write {} {}\n", name(step.array), to_string(step.box));
  }
  void operator()(const plan::FillBoundary& step) {
    text += fmt::format("fill the border of {} in {}\n", name(step.array), to_string(step.box));
  }
  void operator()(const plan::Exchange& exchange) {
    for (const auto& step : exchange.arrays) {
      text += fmt::format("exchange {}: sends {} message{} of {} bytes, receives {} of {} bytes\n",
                          name(step.array), step.lists.sends.size(), step.lists.sends.size() == 1 ? "" : "s",
                          bytes_of(pipeline, step.array, step.lists.sends), step.lists.receives.size(),
                          bytes_of(pipeline, step.array, step.lists.receives));
      print_messages("to", step.array, step.lists.sends);
      print_messages("from", step.array, step.lists.receives);
      print_messages("copied from", step.array, step.lists.copies);
    }
  }
  void operator()(const plan::Compute& step) {
    text += fmt::format("compute {}", name(step.stage));
    for (const Box& part : step.parts) text += " on " + to_string(part);
    if (step.members.size() > 1) {
      text += " with";
      for (int member : step.members)
        if (member != step.stage) text += " " + name(member);
    }
    text += "\n";
  }
  void print_messages(const char* direction, int array, const std::vector<Message>& messages) {
    for (const Message& message : messages)
      text += fmt::format("  {:>4} {:{}}{} rank {}: {}, {} bytes{}\n", "", "", 2 * depth + 2, direction,
                          message.partner, to_string(message.box), bytes_of(pipeline, array, {message}),
                          message.in_place ? ", in place" : "");
  }
};

std::string explain_stage(const StageDeclaration& stage, const StageRegions& regions) {
  std::string ghosts;
  for (const Box& box : difference(regions.required, regions.owned))
    ghosts += (ghosts.empty() ? "" : ", ") + to_string(box);
  std::string text =
      fmt::format("  {} '{}': {} of {}\n", stage.is_input() ? "input" : "stage", stage.name,
                  stage.is_input() ? "distributed" : name_of(regions.placement), name_of(stage.type));
  const std::array rows = {std::pair{"grid", regions.grid.text()},
                           std::pair{"domain", to_string(regions.domain)},
                           std::pair{"owned", to_string(regions.owned)},
                           std::pair{"required", to_string(regions.required)},
                           std::pair{"required within the domain", to_string(regions.required_within_domain)},
                           std::pair{"ghosts", ghosts.empty() ? std::string("none") : ghosts},
                           std::pair{stage.is_input() ? "read" : "computed", to_string(regions.computed)}};
  for (const auto& [key, value] : rows) text += fmt::format("    {:<28}{}\n", key, value);
  if (!stage.is_input())
    text += fmt::format("    {:<28}{}, of them {} redundant\n", "points computed", regions.computed_points,
                        regions.redundant_points);
  return text;
}

}  // namespace

std::string step_kind(const PlanNode& node) {
  constexpr std::array kinds = {"sequence", "repeat",   "bands",  "items",    "allocate", "free",   "read",
                                "write",    "exchange", "finish", "boundary", "compute",  "reduce", "swap"};
  static_assert(kinds.size() == std::variant_size_v<decltype(node.step)>);
  return kinds[node.step.index()];
}

std::string step_label(const Pipeline& pipeline, const PlanNode& node) {
  return std::visit(
      [&](const auto& step) -> std::string {
        using Step = std::decay_t<decltype(step)>;
        if constexpr (std::is_same_v<Step, plan::Sequence>)
          return step.name;
        else if constexpr (requires { step.stage; })
          return step_kind(node) + " " + pipeline[step.stage].name;
        else if constexpr (requires { step.array; })
          return step_kind(node) + " " + pipeline[step.array].name;
        else
          return step_kind(node);
      },
      node.step);
}

std::string human_bytes(std::int64_t bytes) {
  constexpr std::array units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string explain(const Pipeline& pipeline, const Plan& plan) {
  std::string text = fmt::format("rank {} of {}\n", plan.rank, plan.rank_count);
  for (int id = 0; id < pipeline.size(); ++id)
    text += explain_stage(pipeline[id], plan.stages[static_cast<std::size_t>(id)]);
  StepPrinter printer{pipeline, {}};
  printer.print(plan.root);
  return text + printer.text +
         fmt::format("  peak memory {}: arrays {}, messages {}, scratch {} ({} thread{})\n",
                     human_bytes(plan.peak_bytes()), human_bytes(plan.array_bytes),
                     human_bytes(plan.message_bytes), human_bytes(plan.scratch_bytes), plan.target.threads,
                     plan.target.threads == 1 ? "" : "s");
}

void PlanTotals::add(const Pipeline& pipeline, const Plan& plan) {
  ++rank_count;
  peak_bytes = std::max(peak_bytes, plan.peak_bytes());
  for (const StageRegions& stage : plan.stages) redundant_points += stage.redundant_points;
  for (const PlanNode& node : phase(plan, "compute").children)
    if (const auto* exchange = std::get_if<plan::Exchange>(&node.step))
      for (const auto& array : exchange->arrays) {
        messages += static_cast<std::int64_t>(array.lists.sends.size());
        message_bytes += bytes_of(pipeline, array.array, array.lists.sends);
      }
}

std::string summary(const Pipeline& pipeline, const Plan& any_plan, const PlanTotals& totals) {
  std::string stages;
  for (int id = 0; id < pipeline.size(); ++id) {
    const StageRegions& regions = any_plan.stages[static_cast<std::size_t>(id)];
    if (!stages.empty()) stages += ", ";
    stages += pipeline[id].is_input() ? fmt::format("{} on {}", pipeline[id].name, regions.grid.text())
                                      : fmt::format("{} {}", pipeline[id].name, name_of(regions.placement));
  }
  return fmt::format("{}: {} message{} of {} in all, {} redundant points, peak memory per rank {}", stages,
                     totals.messages, totals.messages == 1 ? "" : "s", human_bytes(totals.message_bytes),
                     totals.redundant_points, human_bytes(totals.peak_bytes));
}

}  // namespace tessera
