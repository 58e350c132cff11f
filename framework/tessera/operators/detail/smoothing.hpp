// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/operators/image.hpp"

namespace tessera::operators::detail {

/// Returns the weights of a Gaussian with the standard deviation `sigma`, of which there are `radius` on each
/// side of the middle. Their sum is 1.
std::vector<double> gaussian_weights(double sigma, int radius);

/// Returns on how many points on each side of the middle a Gaussian has weights.
int gaussian_radius(double sigma, double truncate);

/// Adds the sums of an image along x and then along y, with these weights, times `scale` plus `offset`. The
/// first stage is called `<name>_x`. The image has the values that it needs beyond its borders.
Image add_separable(Pipeline& pipeline, const std::string& name, const Image& image, ElementType result,
                    const std::vector<double>& along_x, const std::vector<double>& along_y, double scale = 1,
                    double offset = 0);

}  // namespace tessera::operators::detail
