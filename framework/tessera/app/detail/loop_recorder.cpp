// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/loop_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tessera/domain/counted.hpp"

namespace tessera::app {
namespace {

/// A loop diverges if its last residual is more than so many times its least one. The residuals of methods
/// that converge may grow by less for a while.
constexpr double growth_of_divergence = 100;

/// Whether the residual of a loop is a floating-point number. Integers are counts, which may grow in loops
/// that do what they are meant to do.
bool watches_norm(const Algorithm& pipeline, const LoopDeclaration& loop) {
  if (loop.residuals.empty()) return false;
  const ElementType type = pipeline[loop.residuals.front()].type;
  return type == ElementType::float32 || type == ElementType::float64;
}

/// Returns the number of points that one turn of a loop updates. It is the number of points of the largest
/// array that the loop feeds.
std::int64_t points_of(const Algorithm& pipeline, const LoopDeclaration& loop) {
  std::int64_t points = 0;
  for (const auto& feed : loop.feeds) points = std::max(points, pipeline[feed.to].domain.size());
  return points;
}

}  // namespace

double LoopRecorder::seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

LoopRecorder::LoopRecorder(const Algorithm& pipeline, Progress& progress, int rank)
    : pipeline_(pipeline), progress_(progress), history_(pipeline, rank), totals_(pipeline.loops().size()) {}

void LoopRecorder::listen(Bindings& bindings) {
  bindings.before_turn = [this](const LoopProgress& progress) { before_turn(progress); };
  bindings.after_turn = [this](const LoopProgress& progress) { after_turn(progress); };
  bindings.after_loop = [this](const LoopProgress& progress) { after_loop(progress); };
}

const LoopDeclaration& LoopRecorder::loop_of(const LoopProgress& progress) const {
  return pipeline_.loops()[static_cast<std::size_t>(progress.loop)];
}

std::string LoopRecorder::residual_text(const LoopProgress& progress) const {
  const std::vector<int>& residuals = loop_of(progress).residuals;
  return residuals.empty() ? ""
                           : fmt::format(", {} {:.6g}", pipeline_[residuals.front()].name, progress.residual);
}

void LoopRecorder::before_turn(const LoopProgress& progress) {
  if (progress.turns > progress.resumed_at || progress.loop < 0) return;
  ++depth_;
  Total& total = totals_[static_cast<std::size_t>(progress.loop)];
  total.began = Clock::now();
  total.least_residual = std::numeric_limits<double>::infinity();
}

void LoopRecorder::after_turn(const LoopProgress& progress) {
  // A plan from a file may repeat steps that are not a loop of the pipeline. The number of the loop is then
  // negative.
  if (progress.loop < 0) return;
  history_.add(progress);
  Total& total = totals_[static_cast<std::size_t>(progress.loop)];
  total.least_residual = std::min(total.least_residual, progress.residual);
  progress_.turn([&] {
    const LoopDeclaration& loop = loop_of(progress);
    const double seconds = seconds_since(total.began);
    const auto left = static_cast<double>(loop.maximum - progress.turns) /
                      static_cast<double>(progress.turns - progress.resumed_at);
    return fmt::format("{}: turn {} of at most {}{}, {:.3g} s, at most {:.3g} s to come", loop.name,
                       progress.turns, loop.maximum, residual_text(progress), seconds, seconds * left);
  });
}

void LoopRecorder::after_loop(const LoopProgress& progress) {
  if (progress.loop < 0) return;
  --depth_;
  Total& total = totals_[static_cast<std::size_t>(progress.loop)];
  ++total.runs;
  total.turns += progress.turns;
  total.own_turns += progress.turns - progress.resumed_at;
  total.seconds += seconds_since(total.began);
  total.last = progress;
  const LoopDeclaration& loop = loop_of(progress);
  if (depth_ == 0)
    progress_.line(fmt::format("{}: {}{}{}", loop.name, counted(progress.turns, "turn"),
                               residual_text(progress),
                               loop.condition < 0       ? ""
                               : progress.has_converged ? ", converged"
                                                        : ", not converged"));
}

std::string LoopRecorder::unfinished() const {
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    const LoopProgress& last = totals_[i].last;
    const LoopDeclaration& loop = pipeline_.loops()[i];
    if (loop.condition < 0 || totals_[i].runs == 0 || last.has_converged) continue;
    const double least = totals_[i].least_residual;
    if (watches_norm(pipeline_, loop) && least > 0 && last.residual > growth_of_divergence * least)
      return fmt::format(
          "the loop '{}' diverges: its residual '{}' has grown from {:.6g} to {:.6g} in {} turns: take "
          "smaller "
          "steps, as more turns do not help",
          loop.name, pipeline_[loop.residuals.front()].name, least, last.residual,
          last.turns - last.resumed_at);
    return fmt::format("the loop '{}' has not converged after {} turns{}: allow more turns", loop.name,
                       last.turns, residual_text(last));
  }
  return "";
}

void LoopRecorder::add(Report& report) const {
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    // The turns in rounds are counted for the loop with the number `rounds_of`.
    if (pipeline_.loops()[i].rounds_of >= 0) continue;
    const Total& total = totals_[i];
    const auto turns = static_cast<double>(total.own_turns);
    const double points = turns * static_cast<double>(points_of(pipeline_, pipeline_.loops()[i]));
    report.add_row("loops", {{"loop", pipeline_.loops()[i].name},
                             {"runs", total.runs},
                             {"turns", total.turns},
                             {"seconds", total.seconds},
                             {"seconds_per_turn", total.own_turns > 0 ? total.seconds / turns : 0.0},
                             {"points_per_second", total.seconds > 0 ? points / total.seconds : 0.0},
                             {"residual", total.last.residual},
                             {"converged", std::string(total.last.has_converged ? "yes" : "no")}});
  }
}

}  // namespace tessera::app
