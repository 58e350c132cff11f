// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "tessera/view/compat.hpp"

namespace tessera::operators::detail {

/// A step of a network: orders the elements `low` and `high`. Results that nothing needs are not computed.
struct Exchange {
  int low = 0;
  int high = 0;
  bool needs_low = false;
  bool needs_high = false;
};

/// The steps that find the median of Count elements.
template <int Count>
struct MedianNetwork {
  std::array<Exchange, 16 * Count> steps{};
  int size = 0;
};

/// Returns the network that sorts Count elements (K. E. Batcher, Sorting networks and their applications,
/// 1968) without what the median does not need. Elements beyond the count, up to a power of two, would be
/// greater than all others and never move.
template <int Count>
constexpr MedianNetwork<Count> median_network() {
  MedianNetwork<Count> all;
  int power = 1;
  while (power < Count) power *= 2;
  for (int p = 1; p < power; p *= 2)
    for (int k = p; k >= 1; k /= 2)
      for (int j = k % p; j + k < power; j += 2 * k)
        for (int i = 0; i < k; ++i)
          if ((i + j) / (2 * p) == (i + j + k) / (2 * p) && i + j + k < Count)
            all.steps[static_cast<std::size_t>(all.size++)] = {i + j, i + j + k, false, false};
  std::array<bool, Count> needed{};
  needed[Count / 2] = true;
  MedianNetwork<Count> kept;
  for (int s = all.size - 1; s >= 0; --s) {
    Exchange step = all.steps[static_cast<std::size_t>(s)];
    bool& low = needed[static_cast<std::size_t>(step.low)];
    bool& high = needed[static_cast<std::size_t>(step.high)];
    step.needs_low = low;
    step.needs_high = high;
    if (!low && !high) continue;
    low = high = true;
    kept.steps[static_cast<std::size_t>(kept.size++)] = step;
  }
  for (int s = 0; s < kept.size / 2; ++s) {
    const Exchange first = kept.steps[static_cast<std::size_t>(s)];
    kept.steps[static_cast<std::size_t>(s)] = kept.steps[static_cast<std::size_t>(kept.size - 1 - s)];
    kept.steps[static_cast<std::size_t>(kept.size - 1 - s)] = first;
  }
  return kept;
}

/// The network for Count elements.
template <int Count>
inline constexpr MedianNetwork<Count> network = median_network<Count>();

/// Performs one step.
template <int Count, std::size_t Step, class K>
[[gnu::always_inline]] inline void exchange(K* v) {
  constexpr Exchange step = network<Count>.steps[Step];
  const K a = v[step.low], b = v[step.high];
  if constexpr (step.needs_low) v[step.low] = a < b ? a : b;
  if constexpr (step.needs_high) v[step.high] = a > b ? a : b;
}
template <int Count, class K, std::size_t... Step>
[[gnu::always_inline]] inline K median_by(K* v, std::index_sequence<Step...>) {
  (exchange<Count, Step>(v), ...);
  return v[Count / 2];
}

/// Returns the median of the elements v[0] to v[Count - 1], which are moved.
template <int Count, class K>
[[gnu::always_inline]] inline K median_of(K* v) {
  return median_by<Count>(v, std::make_index_sequence<static_cast<std::size_t>(network<Count>.size)>{});
}

}  // namespace tessera::operators::detail
