// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/pipeline_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/image_outputs.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/nearest.hpp"

namespace tessera::app {
namespace {

/// Returns the advice for a name that the pipeline lacks: the name that was probably meant, or all names.
std::string hint(const std::string& name, const std::vector<std::string>& known) {
  const std::string meant = suggestion(name, known);
  return meant.empty() ? fmt::format(": the names are {}", fmt::join(known, ", ")) : meant;
}

/// Throws InternalError if one of `names` is not in `known`. `field` is the member of PipelineApplication
/// that holds `names`.
void check(const char* field, const std::string& kind, const std::vector<std::string>& names,
           const std::vector<std::string>& known) {
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw InternalError(fmt::format("PipelineApplication::{}: the pipeline has no {} '{}'{}", field, kind,
                                      name, known.empty() ? ": leave it out" : hint(name, known)));
}

std::vector<std::string> names_where(const Algorithm& pipeline, bool (*belongs)(const ArrayDeclaration&)) {
  std::vector<std::string> names;
  for (const ArrayDeclaration& array : pipeline.arrays())
    if (belongs(array)) names.push_back(array.name);
  return names;
}

}  // namespace

void check_names_of(const PipelineApplication& application, const deck::Deck& deck,
                    const Algorithm& pipeline) {
  const auto outputs = names_where(pipeline, [](const ArrayDeclaration& array) { return array.is_output; });
  if (!application.output_is_optional || has_output(deck))
    check("output", "output", {application.output_of(pipeline)}, outputs);
  if (application.has_names_of_samples) return;
  const auto computed =
      names_where(pipeline, [](const ArrayDeclaration& array) { return !array.is_input(); });
  check("stages", "stage", application.stages, computed);
  check("reductions", "reduction", application.reductions, computed);
  check("writable_stages", "stage", application.writable_stages.names, computed);
  std::vector<std::string> loops;
  for (const LoopDeclaration& loop : pipeline.loops()) loops.push_back(loop.name);
  check("loops", "loop", application.loops, loops);
}

}  // namespace tessera::app
