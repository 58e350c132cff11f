// SPDX-License-Identifier: BSD-3-Clause
#include <opencv2/imgproc.hpp>

#include "operators/operator_case.hpp"
#include "tessera/operators/operators.hpp"

namespace bench {
namespace {

using namespace tessera;
using operators::Image;

constexpr int edge = cv::BORDER_REPLICATE;

void gaussian(const cv::Mat& from, cv::Mat& to, double sigma, int radius) {
  cv::GaussianBlur(from, to, {2 * radius + 1, 2 * radius + 1}, sigma, sigma, edge);
}
cv::Mat window(int extent) { return cv::getStructuringElement(cv::MORPH_RECT, {extent, extent}); }

/// The edges of a smoothed photograph: 3 operators.
OperatorCase edges() {
  return {.name = "edges: gaussian, sobel, threshold",
          .type = ElementType::uint8,
          .build =
              [](Pipeline& p, const Image& image) {
                const Image smooth = operators::gaussian(p, image, {.sigma = 1.4, .truncate = 3});
                return operators::threshold(p, operators::sobel(p, smooth), {.value = 60});
              },
          .peer =
              [smooth = cv::Mat(), gx = cv::Mat(), gy = cv::Mat(), sum = cv::Mat()](const cv::Mat& image,
                                                                                    cv::Mat& result) mutable {
                gaussian(image, smooth, 1.4, 4);
                cv::Sobel(smooth, gx, CV_16S, 1, 0, 3, 1, 0, edge);
                cv::Sobel(smooth, gy, CV_16S, 0, 1, 3, 1, 0, edge);
                cv::convertScaleAbs(gx, sum);
                cv::convertScaleAbs(gy, smooth);
                cv::add(sum, smooth, sum);
                cv::threshold(sum, result, 60, 255, cv::THRESH_BINARY);
              },
          .share = 0.05};
}

/// The ink of a page with shadows: 5 operators.
OperatorCase page() {
  return {.name = "page: median, box 31, subtract, threshold, open",
          .type = ElementType::uint8,
          .build =
              [](Pipeline& p, const Image& image) {
                const Image clean = operators::median(p, image);
                const Image paper = operators::box(p, clean, {.window = {31, 31}});
                const Image ink = operators::threshold(p, operators::subtract(p, paper, clean), {.value = 8});
                return operators::open(p, ink);
              },
          .peer =
              [clean = cv::Mat(), paper = cv::Mat(), ink = cv::Mat(), kernel = window(3)](
                  const cv::Mat& image, cv::Mat& result) mutable {
                cv::medianBlur(image, clean, 3);
                cv::blur(clean, paper, {31, 31}, {-1, -1}, edge);
                cv::subtract(paper, clean, ink);
                cv::threshold(ink, ink, 8, 255, cv::THRESH_BINARY);
                cv::morphologyEx(ink, result, cv::MORPH_OPEN, kernel);
              },
          .share = 0.01};
}

/// Bright spots of a micrograph: 6 operators.
OperatorCase spots() {
  return {.name = "spots: median, gaussian, top_hat 15, multiply, threshold, dilate",
          .type = ElementType::uint16,
          .build =
              [](Pipeline& p, const Image& image) {
                const Image smooth = operators::gaussian(p, operators::median(p, image), {.sigma = 1});
                const Image spots = operators::top_hat(p, smooth, {.window = {15, 15}});
                const Image bright = operators::multiply(p, spots, {.value = 3});
                return operators::dilate(p, operators::threshold(p, bright, {.value = 9000}));
              },
          .peer =
              [a = cv::Mat(), b = cv::Mat(), large = window(15), small = window(3)](const cv::Mat& image,
                                                                                    cv::Mat& result) mutable {
                cv::medianBlur(image, a, 3);
                gaussian(a, b, 1, 4);
                cv::morphologyEx(b, a, cv::MORPH_TOPHAT, large);
                cv::multiply(a, cv::Scalar(3), b);
                cv::compare(b, cv::Scalar(9000), a, cv::CMP_GT);
                a.convertTo(b, CV_16U, 257);
                cv::dilate(b, result, small);
              },
          .share = 0.01};
}

/// Unsharp masking, step by step: 5 operators.
OperatorCase sharper() {
  return {.name = "sharper: gaussian, subtract, multiply, add, limit",
          .type = ElementType::float32,
          .build =
              [](Pipeline& p, const Image& image) {
                const Image detail =
                    operators::subtract(p, image, operators::gaussian(p, image, {.sigma = 2}));
                const Image more = operators::multiply(p, detail, {.value = 1.5});
                return operators::limit(p, operators::add(p, image, more), {.low = 0, .high = 1});
              },
          .peer =
              [a = cv::Mat(), b = cv::Mat()](const cv::Mat& image, cv::Mat& result) mutable {
                gaussian(image, a, 2, 8);
                cv::subtract(image, a, b);
                cv::multiply(b, cv::Scalar(1.5), a);
                cv::add(image, a, b);
                cv::max(b, 0, b);
                cv::min(b, 1, result);
              },
          .tolerance = 1e-5};
}

/// A mask without small holes and spots, and its rim: 4 operators.
OperatorCase mask() {
  return {.name = "mask: threshold, open 3, close 5, morphological_gradient",
          .type = ElementType::uint8,
          .build =
              [](Pipeline& p, const Image& image) {
                const Image bright = operators::threshold(p, image, {.value = 120});
                const Image opened = operators::open(p, bright);
                return operators::morphological_gradient(p, operators::close(p, opened, {.window = {5, 5}}));
              },
          .peer =
              [a = cv::Mat(), b = cv::Mat(), small = window(3), large = window(5)](const cv::Mat& image,
                                                                                   cv::Mat& result) mutable {
                cv::threshold(image, a, 120, 255, cv::THRESH_BINARY);
                cv::morphologyEx(a, b, cv::MORPH_OPEN, small);
                cv::morphologyEx(b, a, cv::MORPH_CLOSE, large);
                cv::morphologyEx(a, result, cv::MORPH_GRADIENT, small);
              }};
}

/// Blobs as differences of Gaussians: 5 operators.
OperatorCase blobs() {
  return {.name = "blobs: gaussian 1, gaussian 2, subtract, abs, threshold",
          .type = ElementType::float32,
          .build =
              [](Pipeline& p, const Image& image) {
                const Image fine = operators::gaussian(p, image, {.sigma = 1});
                const Image coarse = operators::gaussian(p, image, {.sigma = 2});
                return operators::threshold(p, operators::abs(p, operators::subtract(p, fine, coarse)),
                                            {.value = 0.01});
              },
          .peer =
              [fine = cv::Mat(), coarse = cv::Mat(), difference = cv::Mat()](const cv::Mat& image,
                                                                             cv::Mat& result) mutable {
                gaussian(image, fine, 1, 4);
                gaussian(image, coarse, 2, 8);
                cv::absdiff(fine, coarse, difference);
                cv::threshold(difference, result, 0.01, 1, cv::THRESH_BINARY);
              },
          .share = 1e-3};
}

/// Local variance: 6 operators.
OperatorCase texture() {
  return {
      .name = "texture: box 15, multiply, multiply, box 15, subtract, limit",
      .type = ElementType::float32,
      .build =
          [](Pipeline& p, const Image& image) {
            const Image mean = operators::box(p, image, {.window = {15, 15}});
            const Image squares =
                operators::box(p, operators::multiply(p, image, image), {.window = {15, 15}});
            const Image variance = operators::subtract(p, squares, operators::multiply(p, mean, mean));
            return operators::limit(p, variance, {.low = 0, .high = 0.05});
          },
      .peer =
          [mean = cv::Mat(), a = cv::Mat(), b = cv::Mat()](const cv::Mat& image, cv::Mat& result) mutable {
            cv::blur(image, mean, {15, 15}, {-1, -1}, edge);
            cv::multiply(image, image, a);
            cv::blur(a, b, {15, 15}, {-1, -1}, edge);
            cv::multiply(mean, mean, a);
            cv::subtract(b, a, b);
            cv::max(b, 0, b);
            cv::min(b, 0.05, result);
          },
      .tolerance = 1e-5};
}

/// A small picture: 4 operators.
OperatorCase thumbnail() {
  return {
      .name = "thumbnail: gaussian, resize 0.5, gamma, equalise",
      .type = ElementType::uint8,
      .build =
          [](Pipeline& p, const Image& image) {
            const Image smooth = operators::gaussian(p, image, {.sigma = 1, .truncate = 3});
            const Image half = operators::resize(p, smooth,
                                                 {.size = {static_cast<int>(image.domain[0].size() / 2),
                                                           static_cast<int>(image.domain[1].size() / 2)},
                                                  .method = operators::Interpolation::area});
            return operators::equalise(p, operators::gamma(p, half, {.exponent = 0.6}));
          },
      .peer =
          [a = cv::Mat(), b = cv::Mat(), table = cv::Mat()](const cv::Mat& image, cv::Mat& result) mutable {
            if (table.empty()) {
              table.create(1, 256, CV_8U);
              for (int i = 0; i < 256; ++i)
                table.at<uchar>(i) = cv::saturate_cast<uchar>(255 * std::pow(i / 255.0, 0.6));
            }
            gaussian(image, a, 1, 3);
            cv::resize(a, b, {image.cols / 2, image.rows / 2}, 0, 0, cv::INTER_AREA);
            cv::LUT(b, table, a);
            cv::equalizeHist(a, result);
          },
      .tolerance = 4,
      .share = 1e-3};
}

/// A print with soft light: 8 operators.
OperatorCase print() {
  return {.name = "print: median, multiply, add, gaussian, maximum, invert, erode, difference",
          .type = ElementType::uint8,
          .build =
              [](Pipeline& p, const Image& image) {
                const Image clean = operators::median(p, image);
                const Image lit =
                    operators::add(p, operators::multiply(p, clean, {.value = 1.2}), {.value = 10});
                const Image soft = operators::gaussian(p, lit, {.sigma = 3, .truncate = 3});
                const Image inverse = operators::invert(p, operators::maximum(p, lit, soft));
                return operators::difference(p, inverse, operators::erode(p, inverse));
              },
          .peer =
              [a = cv::Mat(), b = cv::Mat(), soft = cv::Mat(), kernel = window(3)](const cv::Mat& image,
                                                                                   cv::Mat& result) mutable {
                cv::medianBlur(image, a, 3);
                cv::multiply(a, cv::Scalar(1.2), b);
                cv::add(b, cv::Scalar(10), a);
                gaussian(a, soft, 3, 9);
                cv::max(a, soft, b);
                cv::bitwise_not(b, a);
                cv::erode(a, b, kernel);
                cv::absdiff(a, b, result);
              },
          .tolerance = 2};
}

/// The size of the curvature of a smoothed image: 4 operators.
OperatorCase curvature() {
  return {
      .name = "curvature: gaussian, laplacian, abs, cast",
      .type = ElementType::uint16,
      .build =
          [](Pipeline& p, const Image& image) {
            const Image smooth = operators::gaussian(p, image, {.sigma = 2});
            return operators::cast(p, operators::abs(p, operators::laplacian(p, smooth)),
                                   {.to = ElementType::uint16, .scale = 8});
          },
      .peer =
          [a = cv::Mat(), b = cv::Mat(), zero = cv::Mat()](const cv::Mat& image, cv::Mat& result) mutable {
            gaussian(image, a, 2, 8);
            cv::Laplacian(a, b, CV_32F, 1, 1, 0, edge);
            if (zero.empty()) zero = cv::Mat::zeros(b.size(), b.type());
            cv::absdiff(b, zero, b);
            b.convertTo(result, CV_16U, 8);
          },
      .tolerance = 64};
}

}  // namespace

std::vector<OperatorCase> operator_chains() {
  return {edges(), page(), spots(), sharper(), mask(), blobs(), texture(), thumbnail(), print(), curvature()};
}

}  // namespace bench
