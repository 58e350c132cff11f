// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/matching_task.hpp"

// Compilers for devices have no vectors. In builds for devices, MatchingPoint computes the stage.
#include "tessera/view/compat.hpp"
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#include "tessera/operators/detail/matching_strip.hpp"

namespace tessera::operators::detail {
namespace {

/// Calls use(type, images, channels, is_absolute) with constants for the kind of MatchingStrip that computes
/// `task`.
template <class Use>
[[gnu::always_inline]] inline void with_matching_kind(const MatchingTask& task, const Use& use) {
  using std::integral_constant;
  constexpr integral_constant<int, 0> any;
  constexpr integral_constant<int, 1> one;
  constexpr std::int32_t number = 0;
  constexpr std::true_type absolute;
  constexpr std::false_type squared;
  if (task.is_absolute)
    return task.has_small_keys() ? use(number, any, any, absolute) : use(double(), any, any, absolute);
  if (!task.has_small_keys()) return use(double(), any, any, squared);
  // Loops over few images are unrolled.
  const int images = task.channels == 1 ? task.images() : 0;
  if (images == 1) return use(number, one, one, squared);
  if (images == 2) return use(number, integral_constant<int, 2>(), one, squared);
  if (images == 3) return use(number, integral_constant<int, 3>(), one, squared);
  if (images == 4) return use(number, integral_constant<int, 4>(), one, squared);
  use(number, any, any, squared);
}

}  // namespace

void match(const MatchingTask& task, const MatchingArrays& arrays, const Box& box) {
  with_matching_kind(task, [&](auto number, auto images, auto channels, auto is_absolute) {
    tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
      MatchingStrip<decltype(number), bytes, images, channels, is_absolute>(task, arrays).compute(box);
    });
  });
}

std::int64_t matching_bytes(const MatchingTask& task) {
  return task.has_small_keys() ? MatchingStrip<std::int32_t, 64, 0, 0, false>::bytes(task)
                               : MatchingStrip<double, 64, 0, 0, false>::bytes(task);
}

}  // namespace tessera::operators::detail

#else

#include "tessera/domain/error.hpp"

namespace tessera::operators::detail {

void match(const MatchingTask&, const MatchingArrays&, const Box&) {
  throw InternalError("block matching: a thread of the host computes a stage in a build for devices");
}

std::int64_t matching_bytes(const MatchingTask&) { return 0; }

}  // namespace tessera::operators::detail

#endif
