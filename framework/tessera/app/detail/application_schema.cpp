// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/application_schema.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/checkpoint_settings.hpp"
#include "tessera/app/detail/program_keys.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/watchdog.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/app/image_outputs.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/host_threads.hpp"

namespace tessera::app {

using deck::ValueType;

ScheduleNames names_of(const PipelineApplication& application) {
  // Before its deck is read, a program has no stages if the deck names them.
  const bool is_whole = !application.complete || !application.output.empty();
  if (is_whole && application.output.empty())
    throw AgreedInternalError(
        "PipelineApplication::output: a program has one: take the names from a pipeline with "
        "with_names_of");
  std::vector<std::string> outputs{application.output};
  outputs.insert(outputs.end(), application.other_outputs.begin(), application.other_outputs.end());
  // An array that is the output of some pipelines, and a stage of others, is scheduled like an output.
  std::vector<std::string> stages = application.stages;
  std::erase_if(stages,
                [&](const std::string& name) { return std::ranges::find(outputs, name) != outputs.end(); });
  ScheduleNames names{{},
                      stages,
                      application.reductions,
                      outputs,
                      application.loops,
                      application.stages_within,
                      application.default_compute};
  if (application.complete) {
    // The deck says which stage is the output, so that the same keys are permitted for it as for others.
    if (is_whole) names.stages.push_back(application.output);
    names.outputs.clear();
  }
  if (application.build) names.inputs.push_back("input");
  for (const FurtherImage& further : application.further_images) names.inputs.push_back(further.name);
  for (const ImageList& list : application.image_lists)
    for (int i = 0; i < list.most; ++i) names.inputs.push_back(list.input(static_cast<std::size_t>(i)));
  return names;
}

deck::KeyDeclaration threads_key() {
  return {.name = "threads",
          .type = ValueType::integer,
          .group = "Machine",
          .help =
              "Threads per rank; without it OMP_NUM_THREADS, else the cores that the rank may use, shared "
              "evenly by the ranks on them",
          .minimum = 1,
          .maximum = most_host_threads};
}

deck::Schema make_schema(const PipelineApplication& application) {
  deck::Schema schema;
  declare_input_keys(schema, application);
  declare_output_keys(schema, application);
  if (takes_series(application)) declare_series_keys(schema, application);
  for (const deck::KeyDeclaration& key : application.first_parameters) schema.add(key);
  for (const deck::KeyDeclaration& key : application.parameters) schema.add(key);
  if (!application.loops.empty()) declare_checkpoint_keys(schema);
  schema.add(threads_key());
  std::vector<std::string> exchanges = {"auto", "messages"};
  if (runs_on_host) exchanges.emplace_back("shared");
  schema.add({.name = "exchange",
              .type = ValueType::choice,
              .group = "Machine",
              .help =
                  "How ranks of one node get points from each other that have to be packed: by messages of "
                  "MPI (messages), or by reading them in memory that they share (shared); auto: shared "
                  "where kernels run on hosts",
              .default_text = "auto",
              .choices = exchanges});
  schema.add({.name = "gpu_aware_mpi",
              .type = ValueType::choice,
              .group = "Machine",
              .help = "Whether MPI takes the addresses of device memory; auto asks it and tries",
              .default_text = "auto",
              .choices = {"auto", "on", "off"}});
  schema.add(
      {.name = "memory",
       .type = ValueType::bytes,
       .group = "Machine",
       .help = "What a rank may use at most: what needs more is computed band after band, in a series with "
               "fewer images at a time, and refused before it starts if that needs more, too"});
  schema.add(
      {.name = "bands",
       .type = ValueType::integer,
       .group = "Machine",
       .help =
           "Into how many bands of rows the image is cut, which are read, computed and written one "
           "after the other; without it as many as memory needs, which is one if it has no limit, of whole "
           "chunks where these fit",
       .minimum = 1,
       .maximum = 1 << 30});
  schema.add(watchdog_key());
  declare_program_keys(schema);
  declare_schedule_keys(schema, names_of(application));
  return schema;
}

}  // namespace tessera::app
