// SPDX-License-Identifier: BSD-3-Clause
#include "pipelines/opencv_filters.hpp"

#ifdef TESSERA_HAS_OPENCV

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "pipelines/pipeline_case.hpp"

namespace bench {
namespace {

template <class T>
cv::Mat synthetic_image(Size size) {
  cv::Mat image(size.height, size.width, cv::DataType<T>::type);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) image.at<T>(y, x) = synthetic<T>(x, y);
  return image;
}

/// Adds filter(image, result) on an image of T.
template <class T, class Filter>
void add(std::vector<OpenCvFilter>& filters, const char* name, Size size, const Filter& filter) {
  filters.push_back({name, short_name<T>(),
                     [image = synthetic_image<T>(size), result = cv::Mat(), filter = filter]() mutable {
                       filter(image, result);
                     }});
}

template <class T>
void add_all(std::vector<OpenCvFilter>& filters, Size size) {
  add<T>(filters, "box3", size, [](const cv::Mat& image, cv::Mat& result) {
    cv::blur(image, result, {3, 3}, {-1, -1}, cv::BORDER_REPLICATE);
  });
  // Integers: through the type that holds the differences.
  constexpr int depth = sizeof(T) == 1 ? CV_16S : CV_32F;
  add<T>(filters, "sobel", size,
         [gx = cv::Mat(), gy = cv::Mat()](const cv::Mat& image, cv::Mat& result) mutable {
           cv::Sobel(image, gx, depth, 1, 0, 3, 1, 0, cv::BORDER_REPLICATE);
           cv::Sobel(image, gy, depth, 0, 1, 3, 1, 0, cv::BORDER_REPLICATE);
           if constexpr (std::is_same_v<T, float>)
             cv::magnitude(gx, gy, result);
           else
             cv::add(cv::abs(gx), cv::abs(gy), result, cv::noArray(), cv::DataType<T>::depth);
         });
  add<T>(filters, "transpose", size,
         [](const cv::Mat& image, cv::Mat& result) { cv::transpose(image, result); });
}

}  // namespace

std::vector<OpenCvFilter> opencv_filters(Size size, int threads) {
  cv::setNumThreads(threads);
  std::vector<OpenCvFilter> filters;
  add_all<std::uint8_t>(filters, size);
  add_all<std::uint16_t>(filters, size);
  add_all<float>(filters, size);
  return filters;
}

}  // namespace bench

#else

namespace bench {

std::vector<OpenCvFilter> opencv_filters(Size, int) { return {}; }

}  // namespace bench

#endif
