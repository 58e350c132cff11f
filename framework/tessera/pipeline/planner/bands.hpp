// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// How a pipeline that does not fit into memory is cut.
struct Banding {
  int dimension = 1;
  /// 1: it is not.
  std::int64_t count = 1;
};

/// The bands in the order in which they are computed, pass after pass; none that has nothing to compute or to
/// write.
std::vector<Band> in_order(const Algorithm& pipeline, const Banding& bands);

/// Of each pass the band in the middle, as one plan: what all bands are like. It is to be looked at; plans of
/// single bands run. `plan_of` makes this rank's plan of a band.
Plan plan_with_bands(const Algorithm& pipeline, const Banding& bands,
                     const std::function<Plan(const Band&)>& plan_of);

/// As many bands as it takes to stay within the target's memory, a sixteenth of which is left to what reads
/// and writes files; one if everything fits, or if memory is not limited. Found out by the plans of some
/// ranks. Throws ScheduleError when bands of a single row need more, or the pipeline has loops, and as
/// make_plan.
Banding bands_that_fit(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                       int rank_count);

/// So many bands, no more than there are rows. Throws ScheduleError when the pipeline has loops.
Banding bands_asked_for(const Algorithm& pipeline, std::int64_t count);

}  // namespace tessera
