// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera::app {

/// Returns the way in which the keys `output.chunks` and `output.compression` ask to store HDF5 results.
io::Hdf5Storage hdf5_storage(const deck::Deck& deck);

/// Returns the attributes of an HDF5 result that tell how it came about, except times: the program, its
/// version and libraries, the deck, and the ranks and threads of `plan`, which is a plan of `pipeline`, and
/// the grid of the array `result`.
std::vector<io::FileAttribute> result_attributes(const PipelineApplication& application,
                                                 const deck::Deck& deck, const Algorithm& pipeline,
                                                 const std::string& result, const Plan& plan);

}  // namespace tessera::app
