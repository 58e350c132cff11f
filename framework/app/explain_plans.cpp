// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/explain_plans.hpp"

#include <fmt/format.h>

#include "tessera/pipeline/explain.hpp"
#include "tessera/pipeline/plan_dot.hpp"
#include "tessera/pipeline/rank_classes.hpp"

namespace tessera::app {
namespace {

std::string class_text(const Pipeline& pipeline, const RankClass& ranks) {
  const std::string title =
      ranks.rank_count == 1
          ? fmt::format("only rank {} does this:", ranks.plan.rank)
          : fmt::format("{} ranks do the same as rank {}:", ranks.rank_count, ranks.plan.rank);
  return fmt::format("\n{}\n{}", title, explain(pipeline, ranks.plan));
}

/// Adds up all plans, and hands each on.
template <class Use>
PlanTotals totals_of(const Pipeline& pipeline, const Plans& plans, const Use& use) {
  PlanTotals totals;
  for (int rank = 0; rank < plans.rank_count(); ++rank) {
    Plan plan = plans.of(rank);
    totals.add(pipeline, plan);
    use(std::move(plan));
  }
  return totals;
}

}  // namespace

std::string explain_text(const Pipeline& pipeline, const Plans& plans) {
  RankClasses ranks;
  const PlanTotals totals = totals_of(pipeline, plans, [&ranks](Plan plan) { ranks.add(std::move(plan)); });
  std::string text = summary(pipeline, ranks.classes().front().plan, totals) + "\n";
  for (const RankClass& some : ranks.classes()) text += class_text(pipeline, some);
  return text;
}

std::string explain_text(const Pipeline& pipeline, const Plans& plans, int rank) {
  return explain(pipeline, plans.of(rank));
}

std::string dot_text(const Pipeline& pipeline, const Plans& plans) {
  const PlanTotals totals = totals_of(pipeline, plans, [](Plan) {});
  return to_dot(pipeline, plans.of(0), totals);
}

}  // namespace tessera::app
