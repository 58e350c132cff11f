// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// The way in which a pipeline that does not fit into memory is cut into bands.
struct Banding {
  /// The dimension that is cut. In dimension 1, which is y, the bands of an image consist of rows.
  int dimension = 1;
  /// The number of bands; 1 means that the pipeline is not cut.
  std::int64_t count = 1;
};

/// Returns the bands in the order in which they are computed: all bands of the first pass, then all bands of
/// the next pass, and so on. Bands that have nothing to compute or to write are left out.
std::vector<Band> in_order(const Algorithm& pipeline, const Banding& bands);

/// Returns one plan that stands for the plans of all bands in explanations and reports. It consists of the
/// steps of the middle band of each pass, and cannot be run. `plan_of` must return the plan of this rank for
/// a single band.
Plan plan_with_bands(const Algorithm& pipeline, const Banding& bands,
                     const std::function<Plan(const Band&)>& plan_of);

/// Returns bands for which each rank needs at most `target.memory_bytes`. The function searches for a small
/// number of bands, which is not always the smallest possible one. If everything fits, or if memory is not
/// limited, it returns one band. If there are several bands, a sixteenth of the memory is left for reading
/// and writing files. The memory that ranks need is estimated from the plans of some ranks.
///
/// Throws ScheduleError if even bands of a single row do not fit, or if the pipeline does not fit and has
/// loops. Also throws the exceptions of make_plan.
Banding bands_that_fit(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                       int rank_count);

/// Returns `count` bands, or one band per row if there are fewer rows than `count`. Throws ScheduleError if
/// `count` is more than 1 and the pipeline has loops.
Banding bands_asked_for(const Algorithm& pipeline, std::int64_t count);

}  // namespace tessera
