// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// How a pipeline that does not fit into memory is cut into bands.
struct Banding {
  /// The dimension that is cut. In dimension 1, which is y, the bands of an image consist of rows.
  int dimension = 1;
  /// The number of bands; 1 means that the pipeline is not cut.
  std::int64_t count = 1;
  /// The number of rows that bands do not cut (see Band::unit).
  std::int64_t unit = 1;

  /// Returns the band with the number `index` in the pass `pass`.
  Band band(std::int64_t index, int pass = 0) const { return {dimension, count, index, pass, unit}; }
};

/// The rows of an input or an output that its file stores together, such as the rows of a compressed chunk.
/// If two bands have rows of the same chunk, the chunk is read or written twice.
struct ChunkRows {
  /// The id of the array.
  ArrayId array = {};
  /// The number of rows of a chunk. The first chunk begins with the first row of the array.
  std::int64_t rows = 1;
};

/// Returns the bands in the order of their computation: all bands of the first pass, then all bands of
/// the next pass, and so on. Bands that have nothing to compute or to write are left out.
std::vector<Band> in_order(const Algorithm& pipeline, const Banding& bands);

/// Returns the number of the band that stands for all bands in explanations and reports. It is the first band
/// from the middle on that has as many units as the largest one.
std::int64_t shown_band(const Algorithm& pipeline, const Banding& bands);

/// Returns one plan that stands for the plans of all bands in explanations and reports. It consists of the
/// steps of the band shown_band of each pass, and cannot be run. `plan_of` must return the plan of this rank
/// for a single band.
Plan plan_with_bands(const Algorithm& pipeline, const Banding& bands,
                     const std::function<Plan(const Band&)>& plan_of);

/// Returns bands that need at most `target.memory_bytes` on each rank. The function searches for a small
/// number of bands, which is not always the smallest possible one. If everything fits, or if memory is not
/// limited, it returns one band. If there are several bands, a sixteenth of the memory is left for reading
/// and writing files. The memory that ranks need is estimated from the plans of some ranks.
///
/// The bands consist of whole chunks of the files that `chunks` describes, the most important file first. A
/// file is passed over in two cases: if bands of its chunks, and of the chunks of files before it, do not fit
/// into memory; and if stages read the file beyond their own rows, so that two bands read some chunks anyway.
///
/// Throws ScheduleError if even bands of a single row do not fit, or if the pipeline does not fit and has
/// loops. Also throws the exceptions of make_plan.
Banding bands_that_fit(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                       int rank_count, const std::vector<ChunkRows>& chunks = {});

/// Returns `count` bands, or one band per row if there are fewer rows than `count`. Throws ScheduleError if
/// `count` is more than 1 and the pipeline has loops.
Banding bands_asked_for(const Algorithm& pipeline, std::int64_t count);

}  // namespace tessera
