// SPDX-License-Identifier: BSD-3-Clause
#include "operators/vips.hpp"

#include <fmt/format.h>
#include <vips/vips.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cmath>
#include <memory>

#include "tessera/domain/error.hpp"
#include "tessera/operators/operators.hpp"

namespace bench {
namespace {

using namespace tessera;
using operators::Image;
using Cases = std::vector<OperatorCase>;

constexpr ElementType integer_types[] = {ElementType::uint8, ElementType::uint16};

/// A picture of libvips, which is freed with its last owner.
using Picture = std::shared_ptr<VipsImage>;

[[noreturn]] void fail() { throw InternalError(fmt::format("libvips: {}", vips_error_buffer())); }

/// Returns the picture that `call(&picture)` makes.
template <class Call>
Picture made_by(const Call& call) {
  VipsImage* picture = nullptr;
  if (call(&picture) != 0) fail();
  return {picture, g_object_unref};
}

/// Returns the type of OpenCV for elements of libvips.
int depth_of(VipsBandFormat format) {
  switch (format) {
    case VIPS_FORMAT_UCHAR:
      return CV_8U;
    case VIPS_FORMAT_USHORT:
      return CV_16U;
    case VIPS_FORMAT_SHORT:
      return CV_16S;
    case VIPS_FORMAT_FLOAT:
      return CV_32F;
    default:
      throw InternalError("results of this format of libvips are not compared");
  }
}

Picture picture_of(const cv::Mat& image) {
  const VipsBandFormat format = image.depth() == CV_8U    ? VIPS_FORMAT_UCHAR
                                : image.depth() == CV_16U ? VIPS_FORMAT_USHORT
                                                          : VIPS_FORMAT_FLOAT;
  VipsImage* const picture = vips_image_new_from_memory(image.data, image.total() * image.elemSize(),
                                                        image.cols, image.rows, image.channels(), format);
  if (picture == nullptr) fail();
  if (image.channels() == 3) picture->Type = VIPS_INTERPRETATION_sRGB;
  return {picture, g_object_unref};
}

/// Work of libvips: makes a picture of another, whose points are computed when they are written to memory.
using Work = std::function<int(VipsImage* in, VipsImage** out)>;

/// Returns a peer that runs `work`. The result stays in the memory of libvips until the next run.
std::function<void(const cv::Mat&, cv::Mat&)> peer_of(const Work& work) {
  return [work, kept = Picture()](const cv::Mat& image, cv::Mat& result) mutable {
    kept.reset();
    const Picture in = picture_of(image);
    const Picture out = made_by([&](VipsImage** to) { return work(in.get(), to); });
    VipsImage* const memory = vips_image_new_memory();
    kept = {memory, g_object_unref};
    if (vips_image_write(out.get(), memory) != 0) fail();
    result = cv::Mat(memory->Ysize, memory->Xsize, CV_MAKETYPE(depth_of(memory->BandFmt), memory->Bands),
                     VIPS_IMAGE_ADDR(memory, 0, 0));
  };
}

/// Returns a matrix of numbers, such as a kernel, that are divided by `scale`.
Picture matrix_of(const operators::Matrix& rows, double scale) {
  const int width = static_cast<int>(rows.front().size()), height = static_cast<int>(rows.size());
  const Picture matrix(vips_image_new_matrix(width, height), g_object_unref);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      *VIPS_MATRIX(matrix.get(), x, y) = rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
  vips_image_set_double(matrix.get(), "scale", scale);
  return matrix;
}

/// The arithmetic of libvips that is fastest for a type.
VipsPrecision precision_of(ElementType type) {
  return type == ElementType::float32 ? VIPS_PRECISION_FLOAT : VIPS_PRECISION_INTEGER;
}

/// Returns how far sums of libvips may be from exact ones: its weights for integers have few bits.
double tolerance_of_sums(ElementType type) {
  return type == ElementType::float32 ? 2e-5 : 0.03 * white(type);
}

void add_convolutions(Cases& cases) {
  const operators::Matrix sharpen = {
      {-1, -2, -1, 0, 1}, {-2, 3, -2, 4, 2}, {1, -2, 20, -2, -1}, {2, 4, -2, 3, -2}, {-1, 0, 1, -2, -1}};
  operators::Matrix turned = sharpen;  // libvips does not turn kernels.
  for (auto& row : turned) std::reverse(row.begin(), row.end());
  std::reverse(turned.begin(), turned.end());
  for (const ElementType type : all_types)
    cases.push_back({.name = "convolution 5x5",
                     .type = type,
                     .build =
                         [=](Pipeline& p, const Image& image) {
                           return operators::convolution(p, image, {.kernel = sharpen, .scale = 1.0 / 22});
                         },
                     .peer = peer_of([=, mask = matrix_of(turned, 22)](VipsImage* in, VipsImage** out) {
                       return vips_conv(in, out, mask.get(), "precision", precision_of(type), nullptr);
                     }),
                     .tolerance = tolerance_of_sums(type)});
}

void add_sums(Cases& cases) {
  for (const ElementType type : all_types) {
    const double loose = tolerance_of_sums(type);
    for (const double sigma : {2.0, 8.0})
      cases.push_back({.name = fmt::format("gaussian {}", sigma),
                       .type = type,
                       .build =
                           [=](Pipeline& p, const Image& image) {
                             return operators::gaussian(p, image, {.sigma = sigma, .truncate = 3});
                           },
                       .peer = peer_of([=](VipsImage* in, VipsImage** out) {
                         return vips_gaussblur(in, out, sigma, "min_ampl", 0.0111, "precision",
                                               precision_of(type), nullptr);
                       }),
                       .tolerance = loose});
    for (const int extent : {5, 15}) {
      const operators::Matrix ones = {std::vector<double>(static_cast<std::size_t>(extent), 1)};
      cases.push_back({.name = fmt::format("box {}", extent),
                       .type = type,
                       .build =
                           [=](Pipeline& p, const Image& image) {
                             return operators::box(p, image, {.window = {extent, extent}});
                           },
                       .peer = peer_of([=, mask = matrix_of(ones, extent)](VipsImage* in, VipsImage** out) {
                         return vips_convsep(in, out, mask.get(), "precision", precision_of(type), nullptr);
                       }),
                       .tolerance = loose});
    }
  }
  cases.push_back(
      {.name = "sobel (libvips: another sum)",
       .build = [](Pipeline& p, const Image& image) { return operators::sobel(p, image); },
       .peer = peer_of([](VipsImage* in, VipsImage** out) { return vips_sobel(in, out, nullptr); }),
       // libvips has halves of the derivatives, or the root of the sum of their squares.
       .tolerance = 255});
}

void add_ranks(Cases& cases) {
  for (const ElementType type : all_types) {
    for (const int extent : {3, 5}) {
      // Ranks of bytes in windows of more than 9 points are wrong in libvips 8.14.
      const bool is_wrong = type == ElementType::uint8 && extent > 3;
      cases.push_back({.name = fmt::format("median {}{}", extent, is_wrong ? " (wrong in libvips 8.14)" : ""),
                       .type = type,
                       .build =
                           [=](Pipeline& p, const Image& image) {
                             return operators::median(p, image, {.window = {extent, extent}});
                           },
                       .peer = peer_of([=](VipsImage* in, VipsImage** out) {
                         return vips_median(in, out, extent, nullptr);
                       }),
                       .tolerance = is_wrong ? 255.0 : 0});
    }
    cases.push_back({.name = "erode 3",
                     .type = type,
                     .build = [](Pipeline& p, const Image& image) { return operators::erode(p, image); },
                     .peer = peer_of([](VipsImage* in, VipsImage** out) {
                       return vips_rank(in, out, 3, 3, 0, nullptr);
                     })});
  }
}

void add_sizes(Cases& cases) {
  struct Method {
    const char* name;
    double scale;
    operators::Interpolation method;
    VipsKernel kernel;
  };
  constexpr Method methods[] = {
      {"resize nearest 0.5", 0.5, operators::Interpolation::nearest, VIPS_KERNEL_NEAREST},
      {"resize area 0.5", 0.5, operators::Interpolation::area, VIPS_KERNEL_LINEAR},
      {"resize linear 1.7", 1.7, operators::Interpolation::linear, VIPS_KERNEL_LINEAR},
      {"resize cubic 1.7", 1.7, operators::Interpolation::cubic, VIPS_KERNEL_CUBIC},
  };
  for (const Method& method : methods)
    for (const ElementType type : all_types)
      cases.push_back({.name = fmt::format("{} (libvips: other places)", method.name),
                       .type = type,
                       .build = resize_by(method.scale, method.method),
                       .peer = peer_of([=](VipsImage* in, VipsImage** out) {
                         if (method.method == operators::Interpolation::area)
                           return vips_shrink(in, out, 2, 2, nullptr);
                         return vips_resize(in, out, method.scale, "kernel", method.kernel, nullptr);
                       }),
                       // libvips rounds the places between points, too.
                       .tolerance = white(type)});
}

void add_moves(Cases& cases) {
  for (const ElementType type : all_types) {
    cases.push_back({.name = "rotate 90",
                     .type = type,
                     .build = [](Pipeline& p, const Image& image) { return operators::rotate(p, image); },
                     .peer = peer_of([](VipsImage* in, VipsImage** out) {
                       return vips_rot(in, out, VIPS_ANGLE_D90, nullptr);
                     })});
    cases.push_back({.name = "flip",
                     .type = type,
                     .build = [](Pipeline& p, const Image& image) { return operators::flip(p, image); },
                     .peer = peer_of([](VipsImage* in, VipsImage** out) {
                       return vips_flip(in, out, VIPS_DIRECTION_HORIZONTAL, nullptr);
                     })});
  }
}

void add_points(Cases& cases) {
  for (const ElementType type : integer_types)
    cases.push_back(
        {.name = "invert",
         .type = type,
         .build = [](Pipeline& p, const Image& image) { return operators::invert(p, image); },
         .peer = peer_of([](VipsImage* in, VipsImage** out) { return vips_invert(in, out, nullptr); })});
  for (const ElementType type : all_types)
    cases.push_back(
        {.name = "1.5 a + 10, as float",
         .type = type,
         .build =
             [](Pipeline& p, const Image& image) {
               return operators::cast(p, image, {.to = ElementType::float32, .scale = 1.5, .offset = 10});
             },
         .peer =
             peer_of([](VipsImage* in, VipsImage** out) { return vips_linear1(in, out, 1.5, 10, nullptr); }),
         .tolerance = 0.01});
  cases.push_back({.name = "1.5 a + 10",
                   .build =
                       [](Pipeline& p, const Image& image) {
                         return operators::cast(p, image,
                                                {.to = ElementType::uint8, .scale = 1.5, .offset = 10});
                       },
                   .peer = peer_of([](VipsImage* in, VipsImage** out) {
                     return vips_linear1(in, out, 1.5, 10, "uchar", TRUE, nullptr);
                   }),
                   .tolerance = 1});
}

void add_tables(Cases& cases) {
  std::uint8_t table[256];
  for (int i = 0; i < 256; ++i)
    table[i] = static_cast<std::uint8_t>(std::lround(255 * std::pow(i / 255.0, 0.6)));
  const Picture lut(vips_image_new_from_memory_copy(table, sizeof table, 256, 1, 1, VIPS_FORMAT_UCHAR),
                    g_object_unref);
  cases.push_back(
      {.name = "gamma",
       .build = [](Pipeline& p, const Image& image) { return operators::gamma(p, image, {.exponent = 0.6}); },
       .peer = peer_of(
           [lut](VipsImage* in, VipsImage** out) { return vips_maplut(in, out, lut.get(), nullptr); }),
       .tolerance = 1});
  cases.push_back(
      {.name = "equalise (libvips: another rounding)",
       .build = [](Pipeline& p, const Image& image) { return operators::equalise(p, image); },
       .peer = peer_of([](VipsImage* in, VipsImage** out) { return vips_hist_equal(in, out, nullptr); }),
       .tolerance = 255});
}

void add_colours(Cases& cases) {
  cases.push_back({.name = "lab",
                   .channels = 3,
                   .build = [](Pipeline& p, const Image& image) { return operators::lab(p, image); },
                   .peer = peer_of([](VipsImage* in, VipsImage** out) {
                     return vips_colourspace(in, out, VIPS_INTERPRETATION_LAB, nullptr);
                   }),
                   .tolerance = 0.5,
                   .share = 0.01});
  cases.push_back({.name = "grey (libvips: of linear light)",
                   .channels = 3,
                   .build = [](Pipeline& p, const Image& image) { return operators::grey(p, image); },
                   .peer = peer_of([](VipsImage* in, VipsImage** out) {
                     return vips_colourspace(in, out, VIPS_INTERPRETATION_B_W, nullptr);
                   }),
                   .tolerance = 255});
}

}  // namespace

void start_vips(int threads) {
  if (VIPS_INIT("tessera-bench-chains") != 0) fail();
  vips_concurrency_set(threads);
  vips_cache_set_max(0);
#ifdef __GLIBC__
  // Freed memory is kept in this process, as that of results of Tessera is: no page is cleared anew for each
  // result.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

std::vector<OperatorCase> vips_operators() {
  Cases cases;
  add_sums(cases);
  add_convolutions(cases);
  add_ranks(cases);
  add_sizes(cases);
  add_moves(cases);
  add_points(cases);
  add_tables(cases);
  add_colours(cases);
  return cases;
}

}  // namespace bench
