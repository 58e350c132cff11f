// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "image_size.hpp"

namespace bench {

/// OpenCV's part of a benchmark, on an image of its own.
struct OpenCvFilter {
  std::string name;
  std::string type;
  std::function<void()> run;
};

/// Those that compute the same as a benchmark, box3, sobel and transpose; none where OpenCV was not found.
std::vector<OpenCvFilter> opencv_filters(Size size, int threads);

}  // namespace bench
