// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/recorders.hpp"

#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>

#include "tessera/domain/text.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera::app {
StepNames step_names(const Algorithm& pipeline, const Plan& plan, int first, const std::string& prefix) {
  StepNames names;
  walk(plan.root, [&](const PlanNode& node) {
    if (is_step(node)) names[first + node.id] = {prefix + step_label(pipeline, node), step_kind(node)};
  });
  return names;
}

std::string name_in(const StepNames& names, int number) {
  const auto found = names.find(number);
  return found == names.end() ? "" : found->second.name;
}

StepNames with_phases(StepNames names) {
  for (const Phase phase : all_phases) names[node_of(phase)] = {name_of(phase), "phase"};
  return names;
}

Recorder::Recorder(MPI_Comm communicator, RecorderOptions options, RunPhases& phases)
    : communicator_(communicator), options_(options) {
  set_clock(phases);
  phases.end();
  for (const RunPhases::Span& span : phases.spans()) add(span);
}

void Recorder::add(const RunPhases::Span& span) {
  Total& total = phases_[static_cast<std::size_t>(span.phase)];
  const Event event{node_of(span.phase), seconds_at(span.begin), seconds_at(span.end)};
  ++total.calls;
  total.seconds += event.end - event.begin;
  last_phase_ended_ = event.end;
  add(event);
}

/// Sets `start_` to the time, by the clock of this rank, at which the first rank began. Ranks on different
/// machine nodes have different clocks. All ranks leave a barrier at about the same time. Each rank
/// subtracts from this time the longest time that any rank has been running.
void Recorder::set_clock(const RunPhases& phases) {
  MPI_Barrier(communicator_);
  const Clock::time_point met = Clock::now();
  // The times are exchanged as whole ticks of the clock. With rounded seconds, the first phase could begin
  // before the start.
  const auto mine = static_cast<std::int64_t>((met - phases.began()).count());
  std::int64_t longest = 0;
  MPI_Allreduce(&mine, &longest, 1, MPI_INT64_T, MPI_MAX, communicator_);
  start_ = met - Clock::duration(longest);
  began_run_ = seconds_at(phases.began());
}

void Recorder::begin(int part, std::int64_t item) {
  end();
  current_ = part;
  current_item_ = item;
  began_ = now();
}

void Recorder::end() {
  if (current_ < 0) return;
  if (options_.fence && Kokkos::is_initialized()) Kokkos::fence();
  const double ended = now();
  const auto part = static_cast<std::size_t>(std::exchange(current_, -1));
  const std::lock_guard lock(mutex_);
  if (part >= totals_.size()) totals_.resize(part + 1);
  ++totals_[part].calls;
  totals_[part].seconds += ended - began_;
  add(Event{static_cast<int>(part), began_, ended, 0, current_item_});
}

std::string Recorder::text(const StepNames& names) const {
  std::string text;
  const auto add_slowest = [&](const std::string& name, double mine) {
    double slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, communicator_);
    text += fmt::format("{}{} {:.4f} s", text.empty() ? "" : ", ", name, slowest);
  };
  for (const Phase phase : all_phases)
    if (phase != Phase::finish) add_slowest(name_of(phase), total(phase).seconds);
  std::map<std::string, double> seconds;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, name] : names) seconds[name.kind] += total(number).seconds;
  }
  for (const auto& [kind, mine] : seconds) add_slowest(kind, mine);
  return text;
}

namespace {

/// A loop diverges if its last residual is greater than its smallest one by more than this factor. The
/// residuals of methods that converge may grow by less for a while.
constexpr double growth_of_divergence = 100;

/// Returns the loops of a pipeline, in their order.
std::vector<RecordedLoop> recorded_loops(const Algorithm& pipeline) {
  std::vector<RecordedLoop> loops;
  for (const LoopDeclaration& loop : pipeline.loops()) {
    RecordedLoop recorded{.name = loop.name,
                          .maximum = loop.maximum,
                          .has_condition = loop.condition != no_array,
                          .is_of_rounds = loop.rounds_of >= 0};
    if (!loop.residuals.empty()) {
      const ElementType type = pipeline[loop.residuals.front()].type;
      recorded.residual = pipeline[loop.residuals.front()].name;
      recorded.residual_is_norm = type == ElementType::float32 || type == ElementType::float64;
    }
    for (const auto& feed : loop.feeds)
      recorded.points = std::max(recorded.points, pipeline[feed.to].domain.size());
    loops.push_back(recorded);
  }
  return loops;
}

}  // namespace

LoopRecorder::LoopRecorder(const Algorithm& pipeline, Progress& progress, int rank)
    : LoopRecorder(recorded_loops(pipeline), progress, rank) {}

void LoopRecorder::listen(Bindings& bindings) {
  bindings.before_turn = [this](const LoopProgress& progress) { before_turn(progress); };
  bindings.after_turn = [this](const LoopProgress& progress) { after_turn(progress); };
  bindings.after_loop = [this](const LoopProgress& progress) { after_loop(progress); };
}

std::string LoopRecorder::residual_text(const LoopProgress& progress) const {
  const std::string& residual = loop_of(progress).residual;
  return residual.empty() ? "" : fmt::format(", {} {:.6g}", residual, progress.residual);
}

void LoopRecorder::before_turn(const LoopProgress& progress) {
  if (progress.turns > progress.resumed_at) return;
  ++depth_;
  Total& total = total_of(progress);
  total.began = Clock::now();
  total.least_residual = std::numeric_limits<double>::infinity();
}

void LoopRecorder::after_turn(const LoopProgress& progress) {
  keep_residual(progress);
  Total& total = total_of(progress);
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
  Total& total = total_of(progress);
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

void LoopRecorder::keep_residual(const LoopProgress& progress) {
  if (loop_of(progress).residual.empty()) return;
  Total& total = total_of(progress);
  if (progress.turns == 1) total.turns_of_runs.push_back(0);
  total.turns_of_runs.back() = progress.turns;
  if (keeps_) total.residuals.push_back(progress.residual);
}

void LoopRecorder::resume(int loop, std::int64_t turns, const std::vector<double>& residuals) {
  if (loops_[static_cast<std::size_t>(loop)].residual.empty()) return;
  Total& total = totals_[static_cast<std::size_t>(loop)];
  total.turns_of_runs.push_back(turns);
  if (keeps_) total.residuals.insert(total.residuals.end(), residuals.begin(), residuals.end());
}

std::vector<double> LoopRecorder::residuals(int loop) const {
  const Total& total = totals_[static_cast<std::size_t>(loop)];
  if (total.turns_of_runs.empty() || total.residuals.empty()) return {};
  return {total.residuals.end() - total.turns_of_runs.back(), total.residuals.end()};
}

void LoopRecorder::forget_history() {
  for (Total& total : totals_) {
    total.residuals.clear();
    total.turns_of_runs.clear();
  }
}

std::string LoopRecorder::history_csv() const {
  std::string text = "loop,run,turn,residual\n";
  for (std::size_t loop = 0; loop < totals_.size(); ++loop) {
    auto residual = totals_[loop].residuals.begin();
    for (std::size_t run = 0; run < totals_[loop].turns_of_runs.size(); ++run)
      for (std::int64_t turn = 1; turn <= totals_[loop].turns_of_runs[run]; ++turn)
        fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", loops_[loop].name, run + 1, turn,
                       *residual++);
  }
  return text;
}

std::vector<io::NumberList> LoopRecorder::history_lists() const {
  std::vector<io::NumberList> lists;
  for (std::size_t loop = 0; loop < totals_.size(); ++loop) {
    const std::vector<std::int64_t>& turns = totals_[loop].turns_of_runs;
    if (turns.empty()) continue;
    const std::string group = "history/" + loops_[loop].name;
    const std::int64_t all = std::accumulate(turns.begin(), turns.end(), std::int64_t{0});
    lists.push_back({group + "/residual", all, totals_[loop].residuals});
    lists.push_back({group + "/turns", std::ssize(turns), {turns.begin(), turns.end()}});
  }
  return lists;
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
    const RecordedLoop& loop = loops_[i];
    // The turns in rounds are counted for the loop with the number `rounds_of`.
    if (loop.is_of_rounds) continue;
    const Total& total = totals_[i];
    const auto turns = static_cast<double>(total.own_turns);
    const double points = turns * static_cast<double>(loop.points);
    report.add_row("loops", {{"loop", loop.name},
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
