// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/app/detail/series.hpp"

namespace tessera::app {

/// Returns the series of the files that the keys `input.files` and `output.files` name. The files are dealt
/// out to the ranks in turn. `context` must outlive the series. Collective. Throws InputError as series_items
/// does.
std::unique_ptr<Series> file_series(const SeriesContext& context);

}  // namespace tessera::app
