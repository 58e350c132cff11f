// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/application_schema.hpp"

#include "tessera/app/detail/checkpoint_settings.hpp"
#include "tessera/app/detail/program_keys.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/watchdog.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/app/image_outputs.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/host_threads.hpp"

namespace tessera::app {

using deck::ValueType;

void declare_common_keys(deck::Schema& schema, const std::string& memory) {
  schema.add({.name = "threads",
              .type = ValueType::integer,
              .group = "Machine",
              .help = "Threads per rank; without it OMP_NUM_THREADS, else the cores that the rank may use, "
                      "shared evenly by the ranks on them",
              .minimum = 1,
              .maximum = most_host_threads});
  if (!memory.empty())
    schema.add({.name = "memory", .type = ValueType::bytes, .group = "Machine", .help = memory});
  schema.add(watchdog_key());
}

deck::Schema make_schema(const PipelineApplication& application, const ScheduleNames* names) {
  deck::Schema schema;
  declare_input_keys(schema, application);
  declare_output_keys(schema, application);
  if (takes_series(application)) declare_series_keys(schema, application);
  for (const deck::KeyDeclaration& key : application.first_parameters) schema.add(key);
  for (const deck::KeyDeclaration& key : application.parameters) schema.add(key);
  declare_checkpoint_keys(schema);
  declare_common_keys(schema,
                      "What a rank may use at most: what needs more is computed band after band, in a series "
                      "with fewer images "
                      "at a time, and refused before it starts if that needs more, too");
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
      {.name = "bands",
       .type = ValueType::integer,
       .group = "Machine",
       .help =
           "Into how many bands of rows the image is cut, which are read, computed and written one "
           "after the other; without it as many as memory needs, which is one if it has no limit, of whole "
           "chunks where these fit",
       .minimum = 1,
       .maximum = 1 << 30});
  declare_program_keys(schema);
  if (names == nullptr)
    declare_schedule_keys(schema, application.default_compute);
  else
    declare_schedule_keys(schema, *names);
  return schema;
}

}  // namespace tessera::app
