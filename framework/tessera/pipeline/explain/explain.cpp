// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tessera/domain/boundary.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan/tiles.hpp"

namespace tessera {
namespace {

/// Returns the boundary conditions of an array as text, such as "clamp" or "mirror and constant". The
/// conditions are in the order of the sides of the array, and each one occurs once.
std::string conditions_text(const ArrayDeclaration& array) {
  std::vector<Boundary> named{Boundary::none};
  std::string text;
  for (int d = 0; d < array.domain.dimensions; ++d)
    for (const Boundary condition : array.boundary.side[static_cast<std::size_t>(d)]) {
      if (std::ranges::find(named, condition) != named.end()) continue;
      named.push_back(condition);
      text.append(text.empty() ? "" : " and ").append(name_of(condition));
    }
  return text;
}

bool does_nothing(const plan::Exchange& step) {
  return std::ranges::all_of(step.arrays, [](const plan::ArrayMessages& array) {
    return array.lists.sends.empty() && array.lists.receives.empty() && array.lists.copies.empty();
  });
}
bool does_nothing(const plan::Compute& step) {
  return std::ranges::all_of(step.parts, [](const Box& part) { return part.empty(); });
}
/// Returns whether a step does nothing because its box is empty. A step without a box always does something.
template <class Step>
bool does_nothing(const Step& step) {
  if constexpr (requires { step.box; }) return step.box.empty();
  return false;
}

/// Writes the nodes of a plan as text, one node on each line. Children are indented.
class StepPrinter {
 public:
  StepPrinter(const Algorithm& pipeline, const Plan& plan, bool all_steps)
      : pipeline_(pipeline), plan_(plan), all_steps_(all_steps) {}

  std::string text() {
    print(plan_.root);
    return std::move(text_);
  }

  void operator()(const plan::Sequence& step) { line("{}", step.name); }
  void operator()(const plan::Repeat& step) {
    std::string condition;
    if (step.condition != no_array && step.rounds_of < 0)
      condition = fmt::format(", until {} is not zero", name(step.condition));
    if (step.condition != no_array && step.rounds_of >= 0)
      condition = fmt::format("; one after which {} is not zero is taken back", name(step.condition));
    if (step.overlaps_test)
      condition +=
          fmt::format("; tested while the next {} computed", step.turns > 1 ? "turns are" : "turn is");
    const std::string& loop = pipeline_.loop(step.loop).name;
    const std::int64_t times = step.maximum / step.turns;
    line("{}: {} at most {}{}{}", loop,
         step.turns > 1 ? fmt::format("repeat {} turns", step.turns) : "repeat", counted(times, "time"),
         step.continues ? " in all" : "", condition);
  }
  void operator()(const plan::Bands& step) {
    const int passes = passes_of(pipeline_);
    line("band {} of {} along dimension {}{}", step.band.index, step.band.count, step.band.dimension,
         passes > 1 ? fmt::format(", in pass {} of {}", step.band.pass, passes) : "");
  }
  void operator()(const plan::Read& step) { line("read {} {}", name(step.array), to_string(step.box)); }
  void operator()(const plan::Write& step) { line("write {} {}", name(step.array), to_string(step.box)); }
  void operator()(const plan::Exchange& step) {
    const Traffic to = sent(pipeline_, step), from = received(pipeline_, step);
    line("exchange {}: sends {} of {} bytes, receives {} of {} bytes{}", names_of(pipeline_, step),
         counted(to.messages, "message"), to.bytes, from.messages, from.bytes,
         step.overlapped ? ", overlapped" : "");
    print_messages("to", step, &ExchangeLists::sends);
    print_messages("from", step, &ExchangeLists::receives);
    print_messages("copied from", step, &ExchangeLists::copies);
  }
  void operator()(const plan::FinishExchange& step) { line("wait for exchange {}", step.exchange); }
  void operator()(const plan::FillBoundary& step) {
    line("fill the border of {} in {}: what lies outside the image, by {}", name(step.array),
         to_string(step.box), conditions_text(pipeline_[step.array]));
  }
  void operator()(const plan::Compute& step) {
    std::string parts, members;
    for (const Box& part : step.parts) parts.append(parts.empty() ? "" : " and ").append(to_string(part));
    for (ArrayId member : step.members)
      if (member != step.stage) members.append(members.empty() ? " with " : " ").append(name(member));
    std::string text =
        fmt::format("{} {} on {}{}", pipeline_[step.stage].is_reduction() ? "contribute to" : "compute",
                    name(step.stage), parts.empty() ? "nothing" : parts, members);
    const std::int64_t tiles = Tiles(step.parts, step.tile).size();
    if (tiles > static_cast<std::int64_t>(step.parts.size()) || !step.inner.empty())
      text += fmt::format(" in {} of [{}]", counted(tiles, "tile"), fmt::join(step.tile, ", "));
    text += inner_tiles_text(step);
    if (step.group >= 0) text += fmt::format(", by the kernel of group {}", step.group);
    if (step.scratch_bytes > 0)
      text += fmt::format(", scratch {} per thread", human_bytes(step.scratch_bytes));
    std::string reductions;
    for (const plan::Contribution& contribution : step.contributions)
      reductions.append(reductions.empty() ? ", contributes to " : " and ").append(name(contribution.stage));
    text += reductions;
    if (step.non_temporal) text += ", written past the caches";
    line("{}", text);
  }
  void operator()(const plan::Reduce& step) { line("reduce {} over all ranks", name(step.stage)); }
  void operator()(const plan::Swap& step) { line("swap {} and {}", name(step.first), name(step.second)); }

 private:
  void print(const PlanNode& node) {
    if (!all_steps_ && std::visit([](const auto& step) { return does_nothing(step); }, node.step)) return;
    text_ += fmt::format("  {:>4} {:{}}", node.id, "", 2 * depth_);
    std::visit(*this, node.step);
    ++depth_;
    if (const auto* children = children_of(node))
      for (const PlanNode& child : *children) print(child);
    --depth_;
  }
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...);
    text_ += "\n";
  }
  /// Returns a text about the inner tiles of a compute node, and about the stages that keep points from one
  /// inner tile to the next. The text is empty if tiles are not cut.
  std::string inner_tiles_text(const plan::Compute& step) const {
    if (step.inner.empty()) return "";
    std::string windows, outer;
    for (std::size_t m = 0; m < step.placements.size(); ++m) {
      if (step.placements[m] == Placement::tile) continue;
      std::string& names = step.placements[m] == Placement::window ? windows : outer;
      names.append(names.empty() ? "" : ", ").append(name(step.members[m]));
    }
    std::string text = fmt::format(
        ", cut into {} of [{}]", counted(InnerTiles(step.parts, step.tile, step.inner).size(), "inner tile"),
        fmt::join(step.inner, ", "));
    if (!outer.empty()) text += fmt::format(", once for each tile {}", outer);
    if (!windows.empty())
      text += fmt::format(", in windows {}: {} computed again, {} without windows", windows,
                          counted(points_computed_again(pipeline_, step, true), "point"),
                          points_computed_again(pipeline_, step, false));
    return text;
  }
  const std::string& name(ArrayId id) const { return pipeline_[id].name; }

  void print_messages(const char* direction, const plan::Exchange& exchange,
                      std::vector<Message> ExchangeLists::*side) {
    for (const plan::ArrayMessages& array : exchange.arrays)
      for (const Message& message : array.lists.*side)
        line("  {:>4} {:{}}{} rank {}: {}{}, {} bytes{}", "", "", 2 * depth_ + 2, direction, message.partner,
             exchange.arrays.size() > 1 ? fmt::format("{} ", name(array.array)) : "", to_string(message.box),
             bytes_of(pipeline_, array.array, message.box), message.in_place ? ", in place" : "");
  }

  const Algorithm& pipeline_;
  const Plan& plan_;
  bool all_steps_;
  std::string text_;
  int depth_ = 0;
};

std::string buffer_text(const Plan& plan, BufferId id) {
  const Buffer& buffer = plan.buffers[id];
  std::string text = fmt::format("{}: {} at {}", to_int(id), human_bytes(buffer.bytes), buffer.offset);
  if (buffer.first_node <= buffer.last_node)
    text += fmt::format(", used by nodes {} to {}", buffer.first_node, buffer.last_node);
  return text;
}

/// Returns a text about the buffers of an array.
std::string buffers_text(const Plan& plan, const ArrayRegions& regions) {
  if (regions.written_buffer == no_buffer && regions.read_buffer == no_buffer) return "none";
  if (regions.written_buffer == regions.read_buffer) return buffer_text(plan, regions.read_buffer);
  return fmt::format("written in {}; read in {}", buffer_text(plan, regions.written_buffer),
                     buffer_text(plan, regions.read_buffer));
}

std::string explain_stage(const ArrayDeclaration& stage, const Plan& plan, const ArrayRegions& regions,
                          bool is_copied) {
  std::string ghosts;
  for (const Box& box : difference(regions.required, regions.owned))
    ghosts += (ghosts.empty() ? "" : ", ") + to_string(box);
  std::string text =
      fmt::format("  {} '{}': {}\n", kind_of(stage), stage.name, type_and_placement(stage, regions));
  const std::array rows = {std::pair{"grid", regions.grid.text() + regions.grid.order_text()},
                           std::pair{"domain", to_string(regions.domain)},
                           std::pair{"owned", to_string(regions.owned)},
                           std::pair{"required", to_string(regions.required)},
                           std::pair{"required within the domain", to_string(regions.required_within_domain)},
                           std::pair{"ghosts", ghosts.empty() ? std::string("none") : ghosts},
                           std::pair{stage.is_input() ? "read" : "computed", to_string(regions.computed)},
                           std::pair{"buffer", buffers_text(plan, regions)}};
  for (const auto& [key, value] : rows)
    if (!stage.is_spare() || key != std::string_view("computed"))
      text += fmt::format("    {:<28}{}\n", key, value);
  if (!stage.is_input() && !stage.is_spare())
    text += fmt::format("    {:<28}{}, of them {} redundant\n", "points computed", regions.computed_points,
                        regions.redundant_points);
  if (is_copied)
    text += fmt::format("    {:<28}threads of the host, with copies of its arrays in their memory\n",
                        "computed by");
  if (stage.kernel != nullptr && stage.kernel->could_transpose())
    text += fmt::format(
        "    {:<28}its rows are columns of an input; with a member `transposes` in its body, "
        "hosts compute it faster\n",
        "advice");
  return text;
}

}  // namespace

std::string explain(const Algorithm& pipeline, const Plan& plan, bool all_steps) {
  std::string text = fmt::format("rank {} of {}\n", plan.rank, plan.rank_count);
  for (ArrayId id : pipeline.ids())
    text += explain_stage(pipeline[id], plan, plan.stages[id], is_staged(pipeline, plan.target, id));
  text += StepPrinter(pipeline, plan, all_steps).text();
  std::string further;
  if (plan.partial_bytes > 0) further = fmt::format(", partial sums {}", human_bytes(plan.partial_bytes));
  if (plan.library_bytes > 0)
    further += fmt::format(", {} library calls {}", plan.target.device ? "for the host's" : "within",
                           human_bytes(plan.library_bytes));
  if (band_of(plan) != nullptr) further += "; twice that with the band before or after it";
  return text + fmt::format("  peak memory {}: arrays {}, messages {}, scratch {} ({}){}\n",
                            human_bytes(plan.peak_bytes()), human_bytes(plan.array_bytes),
                            human_bytes(plan.message_bytes), human_bytes(plan.scratch_bytes),
                            counted(plan.target.threads, "thread"), further);
}

const char* kind_of(const ArrayDeclaration& array) {
  return array.is_input() ? "input" : array.is_spare() ? "spare array" : "stage";
}

std::string type_and_placement(const ArrayDeclaration& array, const ArrayRegions& regions) {
  if (array.is_spare()) return std::string(name_of(array.type));
  return fmt::format("{} of {}", array.is_input() ? "distributed" : name_of(regions.placement),
                     name_of(array.type));
}

void PlanTotals::add(const Algorithm& pipeline, const Plan& plan) {
  ++rank_count;
  bool is_idle = true;
  for (ArrayId id : pipeline.ids())
    is_idle = is_idle && (pipeline[id].is_value() || plan.stages[id].computed_points == 0);
  if (is_idle) ++idle_ranks;
  peak_bytes = std::max(peak_bytes, peak_bytes_with_next_band(plan));
  for (auto* by_array : {&exchanged_bytes, &computed_by_array, &redundant_by_array})
    by_array->resize(plan.stages.values().size());
  for (const ArrayId id : plan.stages.ids()) {
    redundant_points += plan.stages[id].redundant_points;
    computed_by_array[id] += plan.stages[id].computed_points;
    redundant_by_array[id] += plan.stages[id].redundant_points;
  }
  walk(plan.root, [&](const PlanNode& node) {
    const StepWork of_node = work_of(pipeline, node);
    work.points += of_node.points;
    work.bytes += of_node.bytes;
    const auto* exchange = std::get_if<plan::Exchange>(&node.step);
    if (exchange == nullptr) return;
    const Traffic traffic = sent(pipeline, *exchange);
    messages += traffic.messages;
    message_bytes += traffic.bytes;
    for (const plan::ArrayMessages& array : exchange->arrays)
      for (const Message& message : array.lists.sends)
        exchanged_bytes[array.array] += bytes_of(pipeline, array.array, message.box);
  });
}

std::string summary(const Algorithm& pipeline, const Plan& any_plan, const PlanTotals& totals) {
  std::string stages;
  for (ArrayId id : pipeline.ids()) {
    const ArrayRegions& regions = any_plan.stages[id];
    if (pipeline[id].is_spare()) continue;
    if (!stages.empty()) stages += ", ";
    stages += pipeline[id].is_input() ? fmt::format("{} on {}", pipeline[id].name, regions.grid.text())
                                      : fmt::format("{} {}", pipeline[id].name, name_of(regions.placement));
  }
  return fmt::format("{}: {} of {} in all, {} redundant points, peak memory per rank {}", stages,
                     counted(totals.messages, "message"), human_bytes(totals.message_bytes),
                     totals.redundant_points, human_bytes(totals.peak_bytes));
}

}  // namespace tessera
