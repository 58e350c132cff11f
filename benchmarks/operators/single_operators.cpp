// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <opencv2/imgproc.hpp>

#include "operators/operator_case.hpp"
#include "tessera/operators/operators.hpp"

namespace bench {
namespace {

using namespace tessera;
using operators::Image;
using Cases = std::vector<OperatorCase>;

constexpr int edge = cv::BORDER_REPLICATE;

bool is_float(ElementType type) { return type == ElementType::float32; }
/// The difference that counts as rounding: halves are rounded in other directions, and sums of floats are
/// added in another order.
double rounding(ElementType type) { return is_float(type) ? 2e-5 : 1; }

void add_gaussians(Cases& cases) {
  for (const double sigma : {2.0, 8.0})
    for (const ElementType type : all_types) {
      // OpenCV ends the weights for uint8 after 3 standard deviations, and others after 4.
      const double truncate = type == ElementType::uint8 ? 3 : 4;
      const int extent = 2 * static_cast<int>(truncate * sigma + 0.5) + 1;
      cases.push_back({.name = fmt::format("gaussian {}", sigma),
                       .type = type,
                       .build =
                           [=](Pipeline& p, const Image& image) {
                             return operators::gaussian(p, image, {.sigma = sigma, .truncate = truncate});
                           },
                       .peer =
                           [=](const cv::Mat& image, cv::Mat& result) {
                             cv::GaussianBlur(image, result, {extent, extent}, sigma, sigma, edge);
                           },
                       .tolerance = type == ElementType::uint16 ? 8 : rounding(type)});
    }
}

void add_windows(Cases& cases) {
  for (const int extent : {5, 15, 51})
    for (const ElementType type : all_types)
      cases.push_back({.name = fmt::format("box {}", extent),
                       .type = type,
                       .build =
                           [=](Pipeline& p, const Image& image) {
                             return operators::box(p, image, {.window = {extent, extent}});
                           },
                       .peer =
                           [=](const cv::Mat& image, cv::Mat& result) {
                             cv::blur(image, result, {extent, extent}, {-1, -1}, edge);
                           },
                       .tolerance = rounding(type)});
  for (const int extent : {3, 15})
    for (const ElementType type : all_types)
      for (const bool dilates : {false, true})
        cases.push_back({.name = fmt::format("{} {}", dilates ? "dilate" : "erode", extent),
                         .type = type,
                         .build =
                             [=](Pipeline& p, const Image& image) {
                               const operators::Morphology window{.window = {extent, extent}};
                               return dilates ? operators::dilate(p, image, window)
                                              : operators::erode(p, image, window);
                             },
                         .peer =
                             [dilates, kernel = cv::getStructuringElement(cv::MORPH_RECT, {extent, extent})](
                                 const cv::Mat& image, cv::Mat& result) {
                               if (dilates)
                                 cv::dilate(image, result, kernel);
                               else
                                 cv::erode(image, result, kernel);
                             }});
}

void add_medians(Cases& cases) {
  for (const int extent : {3, 5, 15})
    for (const ElementType type : all_types) {
      if (extent > 5 && type != ElementType::uint8) continue;  // OpenCV has no others.
      cases.push_back(
          {.name = fmt::format("median {}", extent),
           .type = type,
           .build =
               [=](Pipeline& p, const Image& image) {
                 return operators::median(p, image, {.window = {extent, extent}});
               },
           .peer = [=](const cv::Mat& image, cv::Mat& result) { cv::medianBlur(image, result, extent); }});
    }
}

void add_gradients(Cases& cases) {
  for (const ElementType type : all_types) {
    cases.push_back({.name = "sobel",
                     .type = type,
                     .build = [](Pipeline& p, const Image& image) { return operators::sobel(p, image); },
                     .peer =
                         [type, gx = cv::Mat(), gy = cv::Mat(), zero = cv::Mat()](const cv::Mat& image,
                                                                                  cv::Mat& result) mutable {
                           const int depth = type == ElementType::uint8 ? CV_16S : CV_32F;
                           cv::Sobel(image, gx, depth, 1, 0, 3, 1, 0, edge);
                           cv::Sobel(image, gy, depth, 0, 1, 3, 1, 0, edge);
                           // This is the fastest of OpenCV's ways to absolute values of floats.
                           if (zero.empty()) zero = cv::Mat::zeros(gx.size(), gx.type());
                           cv::absdiff(gx, zero, gx);
                           cv::absdiff(gy, zero, gy);
                           cv::add(gx, gy, result, cv::noArray(), image.depth());
                         },
                     .tolerance = rounding(type)});
    cases.push_back({.name = "scharr x",
                     .type = type,
                     .build =
                         [](Pipeline& p, const Image& image) {
                           return operators::scharr(p, image, {.part = operators::GradientPart::x});
                         },
                     .peer = [](const cv::Mat& image,
                                cv::Mat& result) { cv::Scharr(image, result, CV_32F, 1, 0, 1, 0, edge); },
                     .tolerance = rounding(type)});
    cases.push_back({.name = "laplacian",
                     .type = type,
                     .build = [](Pipeline& p, const Image& image) { return operators::laplacian(p, image); },
                     .peer = [](const cv::Mat& image,
                                cv::Mat& result) { cv::Laplacian(image, result, CV_32F, 1, 1, 0, edge); },
                     .tolerance = rounding(type)});
  }
}

void add_convolutions(Cases& cases) {
  // A matrix that is no product, and one that is.
  const operators::Matrix sharpen = {
      {-1, -2, -1, 0, 1}, {-2, 3, -2, 4, 2}, {1, -2, 20, -2, -1}, {2, 4, -2, 3, -2}, {-1, 0, 1, -2, -1}};
  const std::vector<double> binomial = {1, 6, 15, 20, 15, 6, 1};
  operators::Matrix smooth;
  for (const double row : binomial) {
    smooth.emplace_back();
    for (const double column : binomial) smooth.back().push_back(row * column);
  }
  cv::Mat filter(5, 5, CV_32F);
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i)  // OpenCV does not turn kernels.
      filter.at<float>(j, i) =
          static_cast<float>(sharpen[static_cast<std::size_t>(4 - j)][static_cast<std::size_t>(4 - i)] / 22);
  cv::Mat factor(1, 7, CV_32F);
  for (int i = 0; i < 7; ++i)
    factor.at<float>(i) = static_cast<float>(binomial[static_cast<std::size_t>(i)] / 64);
  for (const ElementType type : all_types) {
    cases.push_back({.name = "convolution 5x5",
                     .type = type,
                     .build =
                         [sharpen](Pipeline& p, const Image& image) {
                           return operators::convolution(p, image, {.kernel = sharpen, .scale = 1.0 / 22});
                         },
                     .peer =
                         [filter](const cv::Mat& image, cv::Mat& result) {
                           cv::filter2D(image, result, -1, filter, {-1, -1}, 0, edge);
                         },
                     .tolerance = rounding(type)});
    cases.push_back({.name = "convolution 7x7, a product",
                     .type = type,
                     .build =
                         [smooth](Pipeline& p, const Image& image) {
                           return operators::convolution(p, image, {.kernel = smooth, .normalise = true});
                         },
                     .peer =
                         [factor](const cv::Mat& image, cv::Mat& result) {
                           cv::sepFilter2D(image, result, -1, factor, factor, {-1, -1}, 0, edge);
                         },
                     .tolerance = rounding(type)});
  }
}

void add_bilaterals(Cases& cases) {
  using operators::BilateralShape;
  for (const ElementType type : all_types)
    for (const BilateralShape shape : {BilateralShape::ellipse, BilateralShape::rectangle}) {
      if (type == ElementType::uint16) continue;  // OpenCV's bilateral filter takes no uint16.
      const bool is_disc = shape == BilateralShape::ellipse;
      cases.push_back({.name = is_disc ? "bilateral 5, a disc" : "bilateral 5, a square (OpenCV: a disc)",
                       .type = type,
                       .build =
                           [type, shape](Pipeline& p, const Image& image) {
                             return operators::bilateral(
                                 p, image, {.contrast = 0.1 * white(type), .sigma = 2, .shape = shape});
                           },
                       .peer =
                           [type](const cv::Mat& image, cv::Mat& result) {
                             cv::bilateralFilter(image, result, 5, 0.1 * white(type), 2, edge);
                           },
                       .tolerance = is_disc ? rounding(type) : 0.05 * white(type)});
    }
}

void add_sizes(Cases& cases) {
  using operators::Interpolation;
  struct Method {
    const char* name;
    Interpolation method;
    int peer;
  };
  for (const Method& method : {Method{"linear", Interpolation::linear, cv::INTER_LINEAR},
                               Method{"cubic", Interpolation::cubic, cv::INTER_CUBIC},
                               Method{"area", Interpolation::area, cv::INTER_AREA},
                               Method{"nearest", Interpolation::nearest, cv::INTER_NEAREST_EXACT}})
    // The nearest of two points that are as near is another one in OpenCV.
    for (const double factor : {method.method == Interpolation::nearest ? 0.4 : 0.5, 1.7})
      for (const ElementType type : all_types) {
        if (method.method == Interpolation::area && factor > 1) continue;  // OpenCV interpolates then.
        cases.push_back({.name = fmt::format("resize {} {}", method.name, factor),
                         .type = type,
                         .build = resize_by(factor, method.method),
                         .peer =
                             [=](const cv::Mat& image, cv::Mat& result) {
                               cv::resize(image, result,
                                          {resized(factor, image.cols), resized(factor, image.rows)}, 0, 0,
                                          method.peer);
                             },
                         // Weights of OpenCV for integers have 11 bits.
                         .tolerance = type == ElementType::float32  ? 1e-3
                                      : type == ElementType::uint16 ? 32
                                                                    : 1,
                         .share = method.method == Interpolation::nearest ? 0.05 : 0});
      }
}

void add_pyramids_and_moves(Cases& cases) {
  for (const ElementType type : all_types) {
    cases.push_back(
        {.name = "pyramid_down",
         .type = type,
         .build = [](Pipeline& p, const Image& image) { return operators::pyramid_down(p, image); },
         .peer = [](const cv::Mat& image, cv::Mat& result) { cv::pyrDown(image, result); },
         .tolerance = rounding(type)});
    cases.push_back({.name = "pyramid_up",
                     .type = type,
                     .build = [](Pipeline& p, const Image& image) { return operators::pyramid_up(p, image); },
                     .peer = [](const cv::Mat& image, cv::Mat& result) { cv::pyrUp(image, result); },
                     .tolerance = rounding(type),
                     .margin = 2});
    cases.push_back({.name = "rotate 90",
                     .type = type,
                     .build = [](Pipeline& p, const Image& image) { return operators::rotate(p, image); },
                     .peer = [](const cv::Mat& image,
                                cv::Mat& result) { cv::rotate(image, result, cv::ROTATE_90_CLOCKWISE); }});
    cases.push_back({.name = "flip",
                     .type = type,
                     .build = [](Pipeline& p, const Image& image) { return operators::flip(p, image); },
                     .peer = [](const cv::Mat& image, cv::Mat& result) { cv::flip(image, result, 1); }});
  }
}

void add_points(Cases& cases) {
  for (const ElementType type : all_types) {
    const double half = 0.5 * white(type), some = 0.1 * white(type);
    cases.push_back({.name = "threshold",
                     .type = type,
                     .build =
                         [=](Pipeline& p, const Image& image) {
                           return operators::threshold(
                               p, image, {.value = half, .mode = operators::ThresholdMode::keep_above});
                         },
                     .peer =
                         [=](const cv::Mat& image, cv::Mat& result) {
                           cv::threshold(image, result, half, white(type), cv::THRESH_TOZERO);
                         }});
    cases.push_back(
        {.name = "add a constant",
         .type = type,
         .build = [=](Pipeline& p, const Image& image) { return operators::add(p, image, {.value = some}); },
         .peer = [=](const cv::Mat& image, cv::Mat& result) { cv::add(image, cv::Scalar(some), result); },
         .tolerance = rounding(type)});
    cases.push_back({.name = "multiply two images",
                     .type = type,
                     .build =
                         [=](Pipeline& p, const Image& image) {
                           return operators::multiply(p, image, image, {.scale = 1 / white(type)});
                         },
                     .peer = [=](const cv::Mat& image,
                                 cv::Mat& result) { cv::multiply(image, image, result, 1 / white(type)); },
                     .tolerance = rounding(type)});
  }
  cv::Mat table(1, 256, CV_8U);
  for (int i = 0; i < 256; ++i) table.at<uchar>(i) = cv::saturate_cast<uchar>(255 * std::pow(i / 255.0, 0.6));
  cases.push_back(
      {.name = "gamma",
       .type = ElementType::uint8,
       .build = [](Pipeline& p, const Image& image) { return operators::gamma(p, image, {.exponent = 0.6}); },
       .peer = [table](const cv::Mat& image, cv::Mat& result) { cv::LUT(image, table, result); },
       .tolerance = 1});
  cases.push_back(
      {.name = "gamma",
       .type = ElementType::float32,
       .build = [](Pipeline& p, const Image& image) { return operators::gamma(p, image, {.exponent = 0.6}); },
       .peer = [](const cv::Mat& image, cv::Mat& result) { cv::pow(image, 0.6, result); },
       .tolerance = 1e-5});
}

void add_histograms(Cases& cases) {
  cases.push_back({.name = "equalise",
                   .type = ElementType::uint8,
                   .build = [](Pipeline& p, const Image& image) { return operators::equalise(p, image); },
                   .peer = [](const cv::Mat& image, cv::Mat& result) { cv::equalizeHist(image, result); },
                   .tolerance = 1});
  for (const ElementType type : {ElementType::uint8, ElementType::uint16})
    cases.push_back({.name = "histogram",
                     .type = type,
                     .build = [](Pipeline& p, const Image& image) { return operators::histogram(p, image); },
                     .peer =
                         [type](const cv::Mat& image, cv::Mat& result) {
                           const int bins = static_cast<int>(white(type)) + 1;
                           const int channel = 0;
                           const float range[] = {0, static_cast<float>(bins)};
                           const float* ranges[] = {range};
                           cv::calcHist(&image, 1, &channel, cv::noArray(), result, 1, &bins, ranges);
                         }});
}

void add_colours(Cases& cases) {
  for (const ElementType type : all_types) {
    cases.push_back({.name = "grey",
                     .type = type,
                     .channels = 3,
                     .build = [](Pipeline& p, const Image& image) { return operators::grey(p, image); },
                     .peer = [](const cv::Mat& image,
                                cv::Mat& result) { cv::cvtColor(image, result, cv::COLOR_RGB2GRAY); },
                     .tolerance = type == ElementType::uint16 ? 2 : rounding(type)});
    // OpenCV has the order Y, Cr, Cb, so that the results differ: a grey image is not compared here.
    cases.push_back({.name = "ycbcr (OpenCV: YCrCb)",
                     .type = type,
                     .channels = 3,
                     .build = [](Pipeline& p, const Image& image) { return operators::ycbcr(p, image); },
                     .peer = [](const cv::Mat& image,
                                cv::Mat& result) { cv::cvtColor(image, result, cv::COLOR_RGB2YCrCb); },
                     .tolerance = white(type)});
  }
  cases.push_back(
      {.name = "lab",
       .type = ElementType::float32,
       .channels = 3,
       .build = [](Pipeline& p, const Image& image) { return operators::lab(p, image); },
       .peer = [](const cv::Mat& image, cv::Mat& result) { cv::cvtColor(image, result, cv::COLOR_RGB2Lab); },
       .tolerance = 1});
}

}  // namespace

std::vector<OperatorCase> single_operators() {
  Cases cases;
  add_gaussians(cases);
  add_windows(cases);
  add_medians(cases);
  add_gradients(cases);
  add_convolutions(cases);
  add_bilaterals(cases);
  add_sizes(cases);
  add_pyramids_and_moves(cases);
  add_points(cases);
  add_histograms(cases);
  add_colours(cases);
  return cases;
}

}  // namespace bench
