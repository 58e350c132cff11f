// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/matching_task.hpp"

#include <algorithm>
#include <limits>

#include "tessera/domain/error.hpp"

namespace tessera::operators::detail {

Range MatchingTask::window_columns(Range columns) const {
  return {std::max<std::int64_t>(columns.begin - reach, 0),
          std::min<std::int64_t>(columns.end + reach, width())};
}

Range MatchingTask::match_columns(int i, Range columns) const {
  const std::int64_t baseline = baselines[i], last = width() - 1;
  return {std::min(columns.begin + baseline * candidates.begin, last),
          std::min(columns.end - 1 + baseline * (candidates.end - 1), last) + 1};
}

Box MatchingTask::needs(int input, const Box& box) const {
  if (!image.contains(Box{box[0], box[1]}))
    throw InternalError("block matching: a stage reads points beyond the image");
  Range columns = window_columns(along(box[0]));
  if (input >= 0) columns = match_columns(input, columns);
  // The columns, which are counted in the direction of the shift, become coordinates of the images again.
  const Range x = is_leftward ? Range{image[0].end - columns.end, image[0].end - columns.begin}
                              : Range{image[0].begin + columns.begin, image[0].begin + columns.end};
  const Range y = intersection({box[1].begin - reach, box[1].end + reach}, image[1]);
  return {x, y};
}

double MatchingTask::greatest_sum() const {
  const double greatest = type == ElementType::uint8 ? 255 : 65535, extent = 2 * reach + 1;
  // A row adds the squares of both images to the sum of a column, before their product is subtracted, so that
  // the sum has one row of squares more than the window for a while. This counts only in windows of one
  // point.
  return greatest * (is_absolute ? 1 : greatest) * images * channels * std::max(extent * extent, extent + 1);
}

bool MatchingTask::has_small_keys() const {
  return type == ElementType::uint8 && 16 * (greatest_sum() + 1) <= std::numeric_limits<std::int32_t>::max();
}

double MatchingTask::operations_per_point() const {
  // A candidate takes a sum of squares and one of values for each match image, a product and its sum, and
  // three operations for the sum of the window and the comparison. Looking for rivals compares once more.
  // Absolute differences have a product for each match image. Vectors of doubles have half as many elements
  // as those of float.
  const double sums = images * (1.0 + channels), products = 2.0 * channels * (is_absolute ? images : 1),
               rest = has_rivals ? 4 : 3;
  // The operations of a point whatever the number of candidates is.
  constexpr double fixed = 32;
  return fixed + candidate_count() * (sums + products + rest) * (has_small_keys() ? 1 : 2);
}

}  // namespace tessera::operators::detail

// Compilers for devices have no vectors. In builds for devices, MatchingPoint computes the stage.
#include "tessera/view/compat.hpp"
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#include "tessera/operators/detail/matching_strip.hpp"

namespace tessera::operators::detail {
namespace {

/// Calls use(number, images, is_absolute) with constants for the kind of MatchingStrip that computes `task`.
template <class Use>
[[gnu::always_inline]] inline void with_matching_kind(const MatchingTask& task, const Use& use) {
  using std::integral_constant;
  constexpr integral_constant<int, 0> any;  // any number of images
  constexpr std::int32_t number = 0;
  constexpr std::true_type absolute;
  constexpr std::false_type squared;
  if (task.is_absolute)
    return task.has_small_keys() ? use(number, any, absolute) : use(double(), any, absolute);
  if (!task.has_small_keys()) return use(double(), any, squared);
  // Loops over few images are unrolled.
  const int images = task.channels == 1 ? task.images : 0;
  if (images == 1) return use(number, integral_constant<int, 1>(), squared);
  if (images == 2) return use(number, integral_constant<int, 2>(), squared);
  if (images == 3) return use(number, integral_constant<int, 3>(), squared);
  if (images == 4) return use(number, integral_constant<int, 4>(), squared);
  use(number, any, squared);
}

}  // namespace

void match(const MatchingTask& task, const MatchingArrays& arrays, const Box& box) {
  with_matching_kind(task, [&](auto number, auto images, auto is_absolute) {
    tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
      MatchingStrip<decltype(number), bytes, images, is_absolute>(task, arrays).compute(box);
    });
  });
}

std::int64_t matching_bytes(const MatchingTask& task) {
  return task.has_small_keys() ? MatchingStrip<std::int32_t, 64, 0, false>::bytes(task)
                               : MatchingStrip<double, 64, 0, false>::bytes(task);
}

}  // namespace tessera::operators::detail

#else

namespace tessera::operators::detail {

void match(const MatchingTask&, const MatchingArrays&, const Box&) {
  throw InternalError("block matching: a thread of the host computes a stage in a build for devices");
}

std::int64_t matching_bytes(const MatchingTask&) { return 0; }

}  // namespace tessera::operators::detail

#endif
