// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/application_schema.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/checkpoints.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/series_plan.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/machine.hpp"

namespace tessera::app {

using deck::ValueType;

void declare_common_keys(deck::Schema& schema, const std::string& memory) {
  schema.add("Machine",
             {{.name = "threads",
               .type = ValueType::integer,
               .help = "Threads per rank; without it OMP_NUM_THREADS, else the cores that the rank may use, "
                       "shared evenly by the ranks on them",
               .minimum = 1,
               .maximum = most_host_threads}});
  if (!memory.empty()) schema.add("Machine", {{.name = "memory", .type = ValueType::bytes, .help = memory}});
  schema.add("Machine", {{.name = "watchdog",
                          .type = ValueType::real,
                          .help = "Ends a run if no step ends for this time, with status 6 and the steps "
                                  "that ranks are in; without it, a run that stands still does not end",
                          .unit = "s",
                          .minimum = 0.1,
                          .maximum = 1e6}});
}

namespace {

void declare_machine_keys(deck::Schema& schema) {
  declare_common_keys(
      schema,
      "The memory that a rank may use at most; what needs more is computed band after band, or in a series "
      "with fewer images at a time, and is refused before it starts if that needs more, too");
  std::vector<std::string> exchanges = {"auto", "messages"};
  if (runs_on_host) exchanges.emplace_back("shared");
  schema.add(
      "Machine",
      {{.name = "exchange",
        .type = ValueType::choice,
        .help =
            "How ranks of one machine node get packed points from each other: by messages of MPI (messages), "
            "or from memory that they share (shared); auto: shared where kernels run on hosts",
        .default_text = "auto",
        .choices = exchanges},
       {.name = "gpu_aware_mpi",
        .type = ValueType::choice,
        .help = "Whether MPI takes the addresses of device memory; auto: the run asks MPI and tries",
        .default_text = "auto",
        .choices = {"auto", "on", "off"}},
       {.name = "bands",
        .type = ValueType::integer,
        .help = "The number of bands of rows that are read, computed and written one after the other; "
                "without it, as many as the limit of memory makes necessary (one if there is no limit), of "
                "whole chunks where these fit",
        .minimum = 1,
        .maximum = 1 << 30}});
}

void declare_program_keys(deck::Schema& schema) {
  schema.add(
      "Groups",
      {{.name = "groups",
        .type = ValueType::tree,
        .help = "Tasks that groups of ranks compute side by side: a map of names to lists of stages; "
                "stages that are not named become further tasks"},
       {.name = "program.allocation",
        .type = ValueType::text,
        .help = "Which ranks compute which task: all ranks every task (data), one rank each task (task), "
                "what is estimated to be the fastest mixture (mixed), the best of these and of the undivided "
                "pipeline (auto), the undivided pipeline (whole), or what a JSON file that --save-plan has "
                "written says, if its path is given; without it, auto if there are groups, else whole"},
       {.name = "program.machine",
        .type = ValueType::path,
        .help = "The file of tessera-calibrate that describes the machine of the estimates; without it, the "
                "machine is some laptop"},
       {.name = "program.costs",
        .type = ValueType::path,
        .help = "A YAML file with the seconds of tasks, as program.profile writes it; without it costs are "
                "estimated from the plans"},
       {.name = "program.profile",
        .type = ValueType::path,
        .help = "Measures the tasks on 1, 2, 4, ... ranks, and writes their seconds into this file"},
       {.name = "program.chart",
        .type = ValueType::path,
        .help = "Draws which ranks compute which task when, as SVG"}});
}

}  // namespace

deck::Schema make_schema(const PipelineApplication& application, const ScheduleNames* names) {
  deck::Schema schema;
  declare_input_keys(schema, application);
  declare_output_keys(schema, application);
  if (takes_series(application)) declare_series_keys(schema, application);
  schema.add("", application.first_parameters).add("", application.parameters);
  declare_checkpoint_keys(schema);
  declare_machine_keys(schema);
  declare_program_keys(schema);
  declare_schedule_keys(
      schema, names ? *names : ScheduleNames{.default_compute = application.default_compute, .follow = true});
  return schema;
}

bool is_program(const deck::Deck& deck) {
  if (deck.is_set("program.profile")) return true;
  const std::string allocation = deck.text_of("program.allocation");
  return allocation.empty() ? deck.is_set("groups") : allocation != "whole";
}

void check_program_keys(const PipelineApplication& application, const deck::Deck& deck,
                        const Options& options) {
  const auto refuse = [&](const char* key, const char* what) {
    if (deck.is_set(key))
      deck.fail(key, fmt::format("{}: leave it out, or write program.allocation=whole", what));
  };
  refuse("bands", "programs of tasks have no bands");
  if (application.build) refuse("output.comparison", "programs of tasks do not keep the input");
  if (options.estimate && !options.report.empty())
    throw InputError("command line: --report with --estimate is not for programs of tasks: leave it out");
  if (options.only_plans()) refuse("program.profile", "tasks are measured in a run only");
}

void check_stream_keys(const PipelineApplication& application, const deck::Deck& deck) {
  const auto refuse = [&](const std::string& key, const std::string& message) {
    if (is_given(deck, key)) deck.fail(key, message);
  };
  if (!application.image_lists.empty())
    refuse(
        "input.video",
        "each frame goes with the next one, and one rank computes with both: write program.allocation=whole");
  refuse("program.profile",
         fmt::format("tasks are measured with one image: give it by {}", application.input_key));
  for (const std::string& key : keys_of_graph(application))
    refuse(key, "it is about series that are not divided: leave it out, or write program.allocation=whole");
}

}  // namespace tessera::app
