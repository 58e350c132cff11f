// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include <fmt/format.h>

#include <numeric>

#include "tessera/app/detail/checkpoints.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan_file/plan_json.hpp"
#include "tessera/pipeline/planner/array_domains.hpp"

namespace tessera::app {
namespace {

/// The greatest number of classes of ranks that are shown. It is the greatest number of classes that a
/// distributed array of three dimensions with equal blocks can have.
constexpr std::size_t most_kinds = 27;

std::string class_text(const Algorithm& pipeline, const RankClass& ranks, const Plan& plan) {
  const std::string title =
      ranks.rank_count == 1
          ? fmt::format("only rank {} does this:", ranks.first_rank)
          : fmt::format("{} ranks do the same as rank {}:", ranks.rank_count, ranks.first_rank);
  return fmt::format("\n{}\n{}", title, explain(pipeline, plan, false));
}

/// Returns the lines about the bands, or an empty text if there is only one band.
std::string bands_text(const Algorithm& pipeline, const Plans& plans) {
  if (!plans.has_bands()) return "";
  const std::string text = app::bands_text(pipeline, plans.bands().band(0));
  if (!plans.cut_chunks()) return text;
  const auto [array, rows] = *plans.cut_chunks();
  return text + fmt::format(
                    "bands of whole chunks do not fit: two bands write the same chunk of '{}', which has {}; "
                    "choose chunks of fewer rows\n",
                    pipeline[array].name, counted(rows, "row"));
}

/// Returns a line about the classes of ranks that are not shown, or an empty text if all classes are shown.
std::string others_text(const RankClasses& all, const std::vector<RankClass>& shown) {
  if (shown.size() == all.classes().size()) return "";
  const auto ranks_of = [](const std::vector<RankClass>& classes) {
    return std::accumulate(classes.begin(), classes.end(), std::int64_t(0),
                           [](std::int64_t sum, const RankClass& some) { return sum + some.rank_count; });
  };
  return fmt::format(
      "\nshown are the {} most frequent of {} kinds of ranks; {} ranks are of other kinds: --rank r shows "
      "one\n",
      shown.size(), all.classes().size(), ranks_of(all.classes()) - ranks_of(shown));
}

/// Returns the lines about the costs of all ranks together: points, bytes, memory, messages and redundancy.
std::string costs_text(const Plan& any_plan, const PlanTotals& totals, const std::string& exchange) {
  return fmt::format(
      "ranks       {} x {}{}\n"
      "cost        {} points, at least {} to read and write\n"
      "memory      {} per rank at most\n"
      "messages    {} of {} in all{}\n"
      "redundancy  {} redundant points\n",
      counted(totals.rank_count, "rank"), counted(any_plan.target.threads, "thread"),
      totals.idle_ranks > 0 ? fmt::format(", {} of them idle", totals.idle_ranks) : "", totals.work.points,
      human_bytes(totals.work.bytes), human_bytes(totals.peak_bytes), counted(totals.messages, "message"),
      human_bytes(totals.message_bytes), totals.messages == 0 ? "" : ": " + exchange,
      totals.redundant_points);
}

/// Returns a text with one line for each array.
std::string arrays_text(const Algorithm& pipeline, const Plan& any_plan, const PlanTotals& totals) {
  std::string text;
  for (ArrayId id : pipeline.ids()) {
    const ArrayRegions& regions = any_plan.stages[id];
    const ArrayDeclaration& array = pipeline[id];
    text += fmt::format("{} {}: {} on {}", kind_of(array), array.name, type_and_placement(array, regions),
                        regions.grid.text() + regions.grid.order_text());
    if (!array.is_spare())
      text += fmt::format(", {} {} points", array.is_input() ? "reads" : "computes",
                          totals.computed_by_array[id]);
    if (totals.redundant_by_array[id] > 0)
      text += fmt::format(", {} of them redundant", totals.redundant_by_array[id]);
    if (totals.exchanged_bytes[id] > 0)
      text += fmt::format(", sends {}", human_bytes(totals.exchanged_bytes[id]));
    text += "\n";
  }
  return text;
}

std::string lines_text(const std::vector<std::string>& lines) {
  return lines.empty() ? "" : fmt::format("{}\n", fmt::join(lines, "\n"));
}

/// Returns the totals over the plans of all ranks, and calls use(plan) for each plan.
template <class Use>
PlanTotals totals_of(const Algorithm& pipeline, const Plans& plans, const Use& use) {
  PlanTotals totals;
  for (int rank = 0; rank < plans.rank_count(); ++rank) {
    const Plan plan = plans.of(rank);
    totals.add(pipeline, plan);
    use(plan);
  }
  return totals;
}

}  // namespace

std::string bands_text(const Algorithm& pipeline, const Band& band) {
  const int passes = passes_of(pipeline);
  return fmt::format(
      "out of core, in {} of rows{}, two of which are in memory at a time{}\n", counted(band.count, "band"),
      passes == 1 ? "" : fmt::format(" and {} passes", passes),
      band.unit == 1 ? ""
                     : fmt::format("; bands of multiples of {} rows, so that chunks are whole", band.unit));
}

std::string explain_text(const Algorithm& pipeline, const Plans& plans, const std::string& exchange,
                         bool kinds) {
  RankClasses ranks;
  const PlanTotals totals = totals_of(pipeline, plans, [&ranks](const Plan& plan) { ranks.add(plan); });
  const Plan any_plan = plans.of(0);
  std::string text = costs_text(any_plan, totals, exchange) + bands_text(pipeline, plans) +
                     arrays_text(pipeline, any_plan, totals) + lines_text(pipeline.remarks()) +
                     lines_text(scattered_reads(pipeline, any_plan));
  const auto count = static_cast<std::int64_t>(ranks.classes().size());
  if (!kinds)
    return text +
           fmt::format("{} of ranks: --verbose shows the plan of one of each, --rank r that of rank r\n",
                       counted(count, "kind"));
  const std::vector<RankClass> shown = ranks.largest(most_kinds);
  for (const RankClass& some : shown) text += class_text(pipeline, some, plans.of(some.first_rank));
  return text + others_text(ranks, shown);
}

std::string check_text(const Algorithm& pipeline, const Plans& plans) {
  const PlanTotals totals = totals_of(pipeline, plans, [](const Plan&) {});
  const Plan any_plan = plans.of(0);
  return fmt::format("checked for {} x {}: {} of {} in all, peak memory per rank {}\n",
                     counted(plans.rank_count(), "rank"), counted(any_plan.target.threads, "thread"),
                     counted(totals.messages, "message"), human_bytes(totals.message_bytes),
                     human_bytes(totals.peak_bytes)) +
         bands_text(pipeline, plans) + lines_text(scattered_reads(pipeline, any_plan));
}

namespace {

std::string explanation(const RunSetup& setup, const Plans& plans) {
  const Options& options = setup.options;
  const Algorithm& pipeline = *setup.pipeline;
  if (options.dot) return to_dot(pipeline, plans.of(0), totals_of(pipeline, plans, [](const Plan&) {}));
  if (options.rank < 0) return explain_text(pipeline, plans, exchange_text(setup.deck), options.verbose);
  check_rank(options, plans.rank_count());
  return explain(pipeline, plans.of(options.rank));
}

std::string saved_text(const Algorithm& pipeline, const Plans& all) {
  std::vector<Plan> plans;
  for (int rank = 0; rank < all.rank_count(); ++rank) plans.push_back(all.of(rank));
  return to_json(pipeline, plans);
}

}  // namespace

void explain_run(const RunSetup& setup, const RunPlans& plans) {
  const std::string& path = setup.options.save_plan;
  if (!path.empty() && plans.all().has_bands())
    throw InputError(
        fmt::format("command line: --save-plan: plans of {} bands are not saved: give more memory",
                    plans.all().bands().count));
  print_and_write(setup.session, setup.read_files(), {{"command line: --save-plan", path}}, [&] {
    return blame_deck(setup.deck, [&] {
      return std::vector{explanation(setup, plans.all()),
                         path.empty() ? "" : saved_text(*setup.pipeline, plans.all())};
    });
  });
}

void check_run(const RunSetup& setup, const RunPlans& plans) {
  Progress progress(setup.session.rank(), setup.options.quiet);
  LoopRecorder loops(*setup.pipeline, progress, setup.session.rank());
  const WrittenFiles files(setup, loops, plans.mine());
  if (setup.session.rank_count() == plans.mine().rank_count)
    Checkpoints(CheckpointedRun::of(setup, plans.mine()), loops);
  print_and_write(setup.session, {}, {}, [&] {
    const std::string text = blame_deck(setup.deck, [&] { return check_text(*setup.pipeline, plans.all()); });
    return std::vector{setup.options.quiet ? "" : text};
  });
}

}  // namespace tessera::app
