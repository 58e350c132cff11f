// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/plans.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/job_application.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/session.hpp"
#include "tessera/cost/machine_description.hpp"
#include "tessera/cost/work_costs.hpp"

namespace tessera::app {

/// Returns the text of --explain: the costs of all ranks together, and a line for each array. `exchange` says
/// how the ranks exchange points. With `kinds`, the plan of one rank of each RankClass follows, without the
/// steps that do nothing. If there are many classes, only those with the most ranks are shown.
std::string explain_text(const Algorithm& pipeline, const Plans& plans, const std::string& exchange,
                         bool kinds);

/// Returns a line about a pipeline that is computed in bands, such as "out of core, in 29 bands of rows,
/// ...". `band` is one of the bands. The line ends with a line feed.
std::string bands_text(const Algorithm& pipeline, const Band& band);

/// Returns the text of --check: a line with the costs of all ranks together, and a line about the bands if
/// there are several bands.
std::string check_text(const Algorithm& pipeline, const Plans& plans);

/// Does the work of --explain: prints an explanation of the plans, and saves the plans if the option
/// --save-plan is given. Rank 0 alone makes the plans of all ranks. Collective. Throws InputError for faults
/// of the options, the deck or the files.
void explain_run(const RunSetup& setup, const RunPlans& plans);

/// Does the work of --check: looks for all faults that can be found before a run, and prints the costs of the
/// run. No files are left behind. Collective. Throws InputError for the first fault.
void check_run(const RunSetup& setup, const RunPlans& plans);

/// The options of --estimate with the files that they name.
struct EstimateSetting {
  /// The machine.
  cost::MachineDescription machine;
  /// The file that describes the machine; empty for the generic machine.
  std::string machine_file;
  /// The costs of stages, and the report that they come from; empty if there is none.
  cost::StageCosts costs;
  std::string costs_file;
  /// The rank whose steps are wanted; -1 for the slowest one.
  int rank = -1;
};

/// Returns the report of --estimate: a section `estimate` with what was estimated and the times of the ranks,
/// and a table `steps` with the steps of one rank. The plans of all ranks are made, but only one of the ranks
/// that do the same is estimated.
Report estimate_report(const Algorithm& pipeline, const Plans& plans, const EstimateSetting& setting);

/// Returns the setting of --estimate, with the files that the options name. Throws InputError if one of them
/// is faulty. Not collective.
EstimateSetting estimate_setting(const Options& options);

/// Does the work of --estimate: prints how long each step of the plans takes, and writes that to the file of
/// --report if one is named. Rank 0 alone makes the plans of all ranks. Collective. Throws InputError for
/// faults of the options, the deck or the files.
void estimate_run(const RunSetup& setup, const RunPlans& plans);

/// Does the work of --estimate for a program without a pipeline, whose ranks have `threads` threads each:
/// prints how long each part of its work takes, in the way of estimate_run. Collective. Throws InputError.
ExitStatus estimate_work(const Launch& launch, int threads, const JobProgram& program);

/// Describes a run for people. The descriptions are printed when the run starts, and are stored in the
/// report and in the attributes of the files that the run writes. All members must outlive it.
struct RunDescription {
  const RunSetup& setup;
  const Plan& plan;
  /// The deck of the run. The deck of `setup` differs in a series: it names the first image.
  const deck::Deck& deck;

  /// Returns lines of text about the program, the places where its ranks run and the memory that the ranks
  /// need. If `verbose` is true, the lines also name each rank and the libraries. The text does not end with
  /// a line feed. On ranks other than 0 it is empty. Collective.
  std::string start_text(bool verbose) const;

  /// Adds the section `run`, which includes the deck, and the costs of the steps to `report`. Collective.
  void add(Report& report, const Recorder& recorder) const;

  /// Adds only the section `run`. Collective.
  void add_section(Report& report) const;

  /// Returns attributes that describe the run, for the files that it writes. The attributes are the same on
  /// all ranks. The attribute `steps` has the times of those steps that have ended before this call.
  /// Collective.
  std::vector<io::FileAttribute> attributes(const Recorder& recorder) const;

 private:
  std::string first_line() const;
  /// Returns lines about the grids over which arrays are distributed, and about bands if there are several.
  std::string layout_text() const;
  /// The declaration of the input image, or of the result if the program reads no image.
  const ArrayDeclaration& data() const;
  /// The path of the input image, or `otherwise` if the program reads no image.
  std::string input_path(const std::string& otherwise) const;
};

/// Runs the plans: reads the inputs, computes, writes the outputs, and prints the progress. Returns the exit
/// status of the program. Collective. Throws InputError for all faults of the deck and the files that can be
/// found before the first step.
ExitStatus execute_run(RunSetup& setup, const RunPlans& plans);

/// Divides the pipeline of a run into tasks on groups of ranks, as the deck asks, and runs, explains, checks
/// or estimates them, as the options ask. Returns the exit status, or nothing if the deck leaves the choice
/// and the undivided pipeline is estimated to be the fastest. Collective.
std::optional<ExitStatus> run_program_of_tasks(RunSetup& setup);

/// Runs an application on a series. One rank computes each image, or all ranks together, as `items.across`
/// says; for `auto`, all ranks if the deck gives bands, or if one rank does not have the memory for the first
/// image. With --check, looks at the images; with --explain, prints the graph of tasks, or the plans; with
/// --estimate, estimates the first image. Collective. Returns the exit status: `stopped` if a signal has
/// ended the series, else `bad_input` if files were left out, else `not_converged` if the loop of an image
/// has not converged. Such an image is written all the same. Throws InputError.
ExitStatus run_series(const PipelineJob& job);

/// Runs a series whose images all ranks compute together, one after the other, in the way of a single run: in
/// bands, with loops, and within the memory of the ranks. Images of the same size and type share a plan and
/// its memory. Also estimates the first image of a series whose images are computed by one rank each.
ExitStatus run_across_ranks(const PipelineJob& job);

/// Runs, explains, estimates or checks a series of images whose pipeline is divided into tasks on groups of
/// ranks, which work on one image after the other. Returns nothing if the deck leaves the choice and the
/// undivided pipeline is estimated to be the fastest, and the series must run without tasks. Collective.
/// Throws InputError.
std::optional<ExitStatus> run_stream_of_tasks(const PipelineJob& job);

}  // namespace tessera::app
