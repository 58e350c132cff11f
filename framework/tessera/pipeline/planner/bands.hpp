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

/// Returns the bands in the order in which they are computed, pass after pass. Bands that have nothing to
/// compute or to write are left out.
std::vector<Band> in_order(const Algorithm& pipeline, const Banding& bands);

/// Returns one plan that stands for the plans of all bands: it has the steps of the middle band of each pass.
/// It serves explanations and reports and cannot be run; the plans of single bands can. `plan_of` makes this
/// rank's plan of a band.
Plan plan_with_bands(const Algorithm& pipeline, const Banding& bands,
                     const std::function<Plan(const Band&)>& plan_of);

/// Returns the fewest bands found with which a rank stays within `target.memory_bytes`, of which a sixteenth
/// is left to readers and writers of files; one band if everything fits or if memory is not limited. The need
/// is estimated from the plans of some ranks. Throws ScheduleError when bands of a single row need more, or
/// when the pipeline does not fit and has loops; throws as make_plan does as well.
Banding bands_that_fit(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                       int rank_count);

/// Returns `count` bands, or one band per row if there are fewer rows. Throws ScheduleError when `count` is
/// more than 1 and the pipeline has loops.
Banding bands_asked_for(const Algorithm& pipeline, std::int64_t count);

}  // namespace tessera
