// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/matching_task.hpp"

#include <algorithm>

#include "tessera/domain/error.hpp"

namespace tessera::operators::detail {

Range MatchingTask::window_columns(Range columns) const {
  return {std::max<std::int64_t>(columns.begin - reach, 0),
          std::min<std::int64_t>(columns.end + reach, width())};
}

Range MatchingTask::match_columns(int i, Range columns) const {
  const std::int64_t baseline = baselines[static_cast<std::size_t>(i)], last = width() - 1;
  return {std::min(columns.begin + baseline * candidates.begin, last),
          std::min(columns.end - 1 + baseline * (candidates.end - 1), last) + 1};
}

Box MatchingTask::needs(int input, const Box& box) const {
  if (!image.contains(Box{box[0], box[1]}))
    throw InternalError("block matching: a stage reads points beyond the image");
  Range columns = window_columns(along(box[0]));
  if (input >= 0) columns = match_columns(input, columns);
  // The direction of shifts is its own inverse, but for the places where the images begin.
  const Range x = is_leftward ? Range{image[0].end - columns.end, image[0].end - columns.begin}
                              : Range{image[0].begin + columns.begin, image[0].begin + columns.end};
  const Range y = intersection({box[1].begin - reach, box[1].end + reach}, image[1]);
  return {x, y};
}

double MatchingTask::greatest_error() const {
  const double greatest = type == ElementType::uint8 ? 255 : 65535, extent = 2 * reach + 1;
  return greatest * greatest * images() * channels * extent * extent;
}

}  // namespace tessera::operators::detail
