// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/tap_sum.hpp"

namespace tessera::operators::detail {

void Taps::add(int dx, int dy, double factor) {
  if (factor == 0) return;
  if (count == most_taps) throw InternalError("a sum of neighbours has too many weights");
  x[count] = static_cast<std::int16_t>(dx);
  y[count] = static_cast<std::int16_t>(dy);
  weight[count++] = static_cast<float>(factor);
  least_x = std::min(least_x, dx);
  greatest_x = std::max(greatest_x, dx);
  least_y = std::min(least_y, dy);
  greatest_y = std::max(greatest_y, dy);
}

Taps Taps::along_x(const std::vector<double>& weights) {
  Taps taps;
  const int count = static_cast<int>(weights.size());
  for (int i = 0; i < count; ++i) taps.add(i - count / 2, 0, weights[static_cast<std::size_t>(i)]);
  return taps;
}

Taps Taps::along_y(const std::vector<double>& weights) {
  Taps taps;
  const int count = static_cast<int>(weights.size());
  for (int i = 0; i < count; ++i) taps.add(0, i - count / 2, weights[static_cast<std::size_t>(i)]);
  return taps;
}

Taps Taps::derivative(bool along_x, int side, int middle) {
  Taps taps;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i)
      taps.add(i, j, (along_x ? i : j) * ((along_x ? j : i) == 0 ? middle : side));
  return taps;
}

Image add_tap_sum(Pipeline& pipeline, const std::string& name, const Image& image, ElementType result,
                  const Taps& taps, double scale, double offset) {
  return with_image_type(image.type, [&]<class In>(std::type_identity<In>) {
    return with_image_type(result, [&]<class Out>(std::type_identity<Out>) {
      if constexpr (std::is_same_v<Out, In> || std::is_same_v<Out, float> || std::is_same_v<In, float>)
        return add_plane_stage<Out, In>(
            pipeline, name, TapSum<Out>{taps, static_cast<float>(scale), static_cast<float>(offset)}, image);
      else
        throw InternalError("no sum of neighbours makes other integers of integers");
      return Image();
    });
  });
}

}  // namespace tessera::operators::detail
