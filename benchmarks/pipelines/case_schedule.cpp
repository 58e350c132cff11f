// SPDX-License-Identifier: BSD-3-Clause
#include "pipelines/case_schedule.hpp"

#include <fmt/format.h>

#include "tessera/app/schedule_keys.hpp"
#include "tessera/deck/load.hpp"

namespace bench {

tessera::Schedule schedule_of(const PipelineCase& the_case, const std::string& decks, const std::string& name,
                              const std::vector<std::string>& overrides) {
  const auto names = tessera::app::schedule_names(the_case.pipeline);
  tessera::deck::Schema schema;
  tessera::app::declare_schedule_keys(schema, names);
  std::vector<tessera::deck::Source> sources;
  if (!the_case.application.empty() && !name.empty())
    sources.push_back(
        tessera::deck::read_source(fmt::format("{}/{}/{}.yaml", decks, the_case.application, name)));
  // A deck may also have keys of its application, which change the pipeline and not its schedule. The
  // overrides are only for the schedule.
  tessera::deck::load(schema, {}, overrides);
  return tessera::app::schedule_from_deck(tessera::deck::load_declared(schema, sources, overrides), names,
                                          !tessera::runs_on_host);
}

}  // namespace bench
