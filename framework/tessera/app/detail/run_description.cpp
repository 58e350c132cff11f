// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/run_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/placement.hpp"
#include "tessera/app/detail/plan_run.hpp"
#include "tessera/app/detail/run_report.hpp"
#include "tessera/app/detail/runs.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/planner/bands.hpp"
#include "tessera/view/machine.hpp"

namespace tessera::app {

std::string RunDescription::start_text(bool verbose) const {
  const std::vector<std::vector<Placement>> gathered =
      gather(session.communicator(),
             std::vector{own_placement(plan.target.threads, peak_bytes_with_next_band(plan))});
  std::vector<Placement> ranks;
  for (const auto& one : gathered) ranks.push_back(one.front());
  if (ranks.empty()) return "";
  std::string text = first_line() + "\n" + build_text(build) + "\n" + (verbose ? libraries_text() : "") +
                     layout_text() + placement_text(ranks, verbose);
  for (const std::string& remark : pipeline.remarks()) text += "\n" + remark;
  for (const std::string& warning : {build_warning(build), overlap_warning(ranks)})
    if (!warning.empty()) text += "\n" + warning;
  return text;
}

std::string RunDescription::layout_text() const {
  constexpr int most_names = 4;
  const auto grid_of = [this](int id) { return plan.stages[static_cast<std::size_t>(id)].grid.text(); };
  const std::string grid = grid_of(pipeline.find(data().name));
  std::string others;
  int count = 0;
  for (int id = 0; id < pipeline.size(); ++id) {
    const bool is_spread =
        plan.stages[static_cast<std::size_t>(id)].placement == tessera::Placement::distributed;
    if (!is_spread || pipeline[id].is_everywhere() || grid_of(id) == grid) continue;
    if (++count <= most_names) others += fmt::format(", {} on {}", pipeline[id].name, grid_of(id));
  }
  if (count > most_names) others += ", and more";
  const Band* band = band_of(plan);
  return fmt::format("grid {}{}\n{}", grid, others, band == nullptr ? "" : bands_text(pipeline, *band));
}

std::string RunDescription::first_line() const {
  return fmt::format("{} {}: {} x {}, {}, MPI threads {}; {} {} {}", application.program, version(),
                     counted(session.rank_count(), "rank"), counted(plan.target.threads, "thread"),
                     backends(), session.thread_level(),
                     inputs.image() == nullptr ? data().name : inputs.files().front().path,
                     to_string(data().domain), name_of(data().type));
}

void RunDescription::add(Report& report, const StepRecorder& recorder) const {
  add_section(report);
  add_steps(report, session.communicator(), pipeline, plan, recorder);
}

void RunDescription::add_section(Report& report) const {
  std::set<int> nodes;
  for (const RankPlace& place : rank_places(session.communicator())) nodes.insert(place.node);
  report.add("run", {{"program", application.program},
                     {"ranks", session.rank_count()},
                     {"nodes", static_cast<std::int64_t>(nodes.size())},
                     {"threads_per_rank", session.threads()},
                     {"mpi_threads", session.thread_level()},
                     {"exchange", exchange_text(deck)},
                     {"input", inputs.image() == nullptr ? "none" : inputs.files().front().path},
                     {"points", to_string(data().domain)},
                     {"type", std::string(name_of(data().type))}});
  if (!pipeline.remarks().empty())
    report.add("run", {{"remarks", fmt::format("{}", fmt::join(pipeline.remarks(), "; "))}});
  report.add("run", {{"versions", version_text(application.program, build)}, {"deck", deck::print(deck)}});
}

std::vector<io::FileAttribute> RunDescription::attributes(const StepRecorder& recorder) const {
  std::vector<io::FileAttribute> attributes =
      result_attributes(application, deck, pipeline, result_name, plan);
  attributes.push_back({"steps", recorder.text()});
  return attributes;
}

}  // namespace tessera::app
