// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// The bands into which a pipeline that does not fit into memory is cut.
struct Banding {
  /// The dimension that is cut; 1 is that of the rows of an image.
  int dimension = 1;
  /// The number of bands; 1: the pipeline is not cut.
  std::int64_t count = 1;
};

/// The bands in the order in which they are computed, pass after pass, without those that have nothing to
/// compute or to write.
std::vector<Band> in_order(const Algorithm& pipeline, const Banding& bands);

/// One plan that shows what the plans of all bands are like: the steps of the middle band of each pass. It is
/// for explanations and does not run; plans of single bands do. `plan_of` makes this rank's plan of a band.
Plan plan_with_bands(const Algorithm& pipeline, const Banding& bands,
                     const std::function<Plan(const Band&)>& plan_of);

/// The fewest bands found with which a rank stays within the target's memory, a sixteenth of which is left to
/// those that read and write files; one if everything fits, or if memory is not limited. The need is taken
/// from the plans of some ranks. Throws ScheduleError when bands of a single row need more, or when the
/// pipeline does not fit and has loops, and as make_plan does.
Banding bands_that_fit(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                       int rank_count);

/// `count` bands, or as many as there are rows if that is less. Throws ScheduleError when `count` is more
/// than 1 and the pipeline has loops.
Banding bands_asked_for(const Algorithm& pipeline, std::int64_t count);

}  // namespace tessera
