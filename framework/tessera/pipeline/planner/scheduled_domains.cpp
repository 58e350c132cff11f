// SPDX-License-Identifier: BSD-3-Clause
// Which points the arrays have, from the outputs to the inputs.
#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/corners.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {

void ScheduledPipeline::settle_domains(std::vector<Box>& domains, std::vector<Box>& nominals) const {
  for (int id = size() - 1; id >= 0; --id) {
    const auto i = static_cast<std::size_t>(id);
    const ArrayDeclaration& declaration = (*pipeline_)[id];
    check_domain(id, domains[i]);
    settle_fed(id, domains[i], nominals[i]);
    settle_kept(id, domains[i], nominals[i]);
    if (declaration.is_input()) continue;
    if (declaration.is_further_output) {
      // The first output, which comes last here, stands for all.
      const auto lead = static_cast<std::size_t>(declaration.lead);
      domains[lead] = hull(domains[lead], domains[i]);
      nominals[lead] = hull(nominals[lead], nominals[i]);
      continue;
    }
    if (leads_nowhere(id))
      throw InternalError(fmt::format("stage '{}' leads to no output", declaration.name));
    if (declaration.reduction != nullptr) domains[i] = nominals[i] = wanted(id);
    if (domains[i].empty()) {
      // Its consumers read it only where the outputs have no points, or in another pass: nobody computes it.
      domains[i] = nominals[i] =
          no_points(domains[i].dimensions > 0 ? domains[i].dimensions : declaration.dimensions);
      continue;
    }
    domains[i] = declaration.with_whole_lines(domains[i]);
    nominals[i] = declaration.with_whole_lines(nominals[i]);
    settle_inputs(id, domains[i], nominals[i], domains, nominals);
  }
}

void ScheduledPipeline::settle_kept(int id, Box& domain, Box& nominal) const {
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  const bool is_all_there = window_.is_whole() || declaration.is_value || declaration.has_periodic_side();
  if ((declaration.ends_at_domain() || declaration.is_value) && is_all_there) {
    domain = nominal = declaration.domain;
  } else if (declaration.ends_at_domain()) {
    domain = domain.empty()
                 ? no_points(declaration.dimensions)
                 : intersection(with_boundary_sources(domain, declaration.domain, declaration.boundary),
                                declaration.domain);
    nominal = intersection(nominal, domain);
    if (nominal.empty()) nominal = domain;
  }
  if (!declaration.is_output || declaration.reduction != nullptr) return;
  if (const Box points = wanted(id); !points.empty()) {
    nominal = points;
    domain = hull(domain, points);
  }
}

void ScheduledPipeline::settle_inputs(int id, const Box& domain, const Box& nominal,
                                      std::vector<Box>& domains, std::vector<Box>& nominals) const {
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  const auto whole = required_of(id, domain);
  const auto first = required_of(id, corner(nominal, false));
  const auto last = required_of(id, corner(nominal, true));
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const auto input = static_cast<std::size_t>(declaration.inputs[k]);
    domains[input] = hull(domains[input], whole[k]);
    // A producer's blocks follow its consumer's: their corners lie in the middle of what those corners read.
    if (!first[k].empty() && !last[k].empty())
      nominals[input] = hull(nominals[input], hull(centre(first[k], false), centre(last[k], true)));
    else
      nominals[input] = hull(nominals[input], whole[k]);
  }
}

bool ScheduledPipeline::leads_nowhere(int id) const {
  const auto is_used = [this](int part) {
    const ArrayDeclaration& array = (*pipeline_)[part];
    return array.is_output || !(*this)[part].consumers.empty() || !family(part).empty() ||
           std::ranges::any_of(pipeline_->loops(), [part](const LoopDeclaration& loop) {
             return loop.condition == part || std::ranges::find(loop.residuals, part) != loop.residuals.end();
           });
  };
  for (int part = id; part < id + (*pipeline_)[id].output_count; ++part)
    if (is_used(part)) return false;
  return true;
}

void ScheduledPipeline::check_domain(int id, const Box& required) const {
  const ArrayDeclaration& array = (*pipeline_)[id];
  for (int d = 0; d < required.dimensions && !required.empty(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    const auto& side = array.boundary.side[i];
    if (array.ends_at_domain() && ((side[0] == Boundary::none && required[d].begin < array.domain[d].begin) ||
                                   (side[1] == Boundary::none && required[d].end > array.domain[d].end)))
      throw InternalError(fmt::format(
          "the {} '{}' is {} and has no boundary condition in dimension {}, but "
          "stages read {}",
          array.is_input() ? "input" : "stage", array.name, to_string(array.domain), d, to_string(required)));
    if (!array.ends_at_domain() && !array.whole[i].empty() &&
        !(intersection(array.whole[i], required[d]) == required[d]))
      throw InternalError(
          fmt::format("'{}' has the points [{}, {}) in dimension {}, but stages read {}: "
                      "limit the index with clamp",
                      array.name, array.whole[i].begin, array.whole[i].end, d, to_string(required)));
  }
}

}  // namespace tessera
