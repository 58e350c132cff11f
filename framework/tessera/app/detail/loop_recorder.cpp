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

}  // namespace

double LoopRecorder::seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

LoopRecorder::LoopRecorder(const std::vector<RecordedLoop>& loops, Progress& progress, int rank)
    : loops_(loops), progress_(progress), rank_(rank), history_(loops, rank), totals_(loops.size()) {}

void LoopRecorder::listen(Bindings& bindings) {
  bindings.before_turn = [this](const LoopProgress& progress) { before_turn(progress); };
  bindings.after_turn = [this](const LoopProgress& progress) { after_turn(progress); };
  bindings.after_loop = [this](const LoopProgress& progress) { after_loop(progress); };
}

const RecordedLoop& LoopRecorder::loop_of(const LoopProgress& progress) const {
  return loops_[static_cast<std::size_t>(progress.loop)];
}

std::string LoopRecorder::residual_text(const LoopProgress& progress) const {
  const std::string& residual = loop_of(progress).residual;
  return residual.empty() ? "" : fmt::format(", {} {:.6g}", residual, progress.residual);
}

void LoopRecorder::before_turn(const LoopProgress& progress) {
  if (progress.turns > progress.resumed_at) return;
  ++depth_;
  Total& total = totals_[static_cast<std::size_t>(progress.loop)];
  total.began = Clock::now();
  total.least_residual = std::numeric_limits<double>::infinity();
}

void LoopRecorder::after_turn(const LoopProgress& progress) {
  history_.add(progress);
  Total& total = totals_[static_cast<std::size_t>(progress.loop)];
  total.least_residual = std::min(total.least_residual, progress.residual);
  progress_.turn([&] {
    const RecordedLoop& loop = loop_of(progress);
    const double seconds = seconds_since(total.began);
    const auto left = static_cast<double>(loop.maximum - progress.turns) /
                      static_cast<double>(progress.turns - progress.resumed_at);
    return fmt::format("{}: turn {} of at most {}{}, {:.3g} s, at most {:.3g} s to come", loop.name,
                       progress.turns, loop.maximum, residual_text(progress), seconds, seconds * left);
  });
}

void LoopRecorder::after_loop(const LoopProgress& progress) {
  --depth_;
  Total& total = totals_[static_cast<std::size_t>(progress.loop)];
  ++total.runs;
  total.turns += progress.turns;
  total.own_turns += progress.turns - progress.resumed_at;
  total.seconds += seconds_since(total.began);
  total.last = progress;
  const RecordedLoop& loop = loop_of(progress);
  if (depth_ == 0)
    progress_.line(fmt::format("{}: {}{}{}", loop.name, counted(progress.turns, "turn"),
                               residual_text(progress),
                               !loop.has_condition      ? ""
                               : progress.has_converged ? ", converged"
                                                        : ", not converged"));
}

std::string LoopRecorder::unfinished() const {
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    const LoopProgress& last = totals_[i].last;
    const RecordedLoop& loop = loops_[i];
    if (!loop.has_condition || totals_[i].runs == 0 || last.has_converged) continue;
    const double least = totals_[i].least_residual;
    if (loop.residual_is_norm && least > 0 && last.residual > growth_of_divergence * least)
      return fmt::format(
          "the loop '{}' diverges: its residual '{}' has grown from {:.6g} to {:.6g} in {} turns: take "
          "smaller "
          "steps, as more turns do not help",
          loop.name, loop.residual, least, last.residual, last.turns - last.resumed_at);
    return fmt::format("the loop '{}' has not converged after {} turns{}: allow more turns", loop.name,
                       last.turns, residual_text(last));
  }
  return "";
}

void LoopRecorder::add(Report& report) const {
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    // The turns in rounds are counted for the loop with the number `rounds_of`.
    if (loops_[i].is_of_rounds) continue;
    const Total& total = totals_[i];
    const auto turns = static_cast<double>(total.own_turns);
    const double points = turns * static_cast<double>(loops_[i].points);
    report.add_row("loops", {{"loop", loops_[i].name},
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
