// SPDX-License-Identifier: BSD-3-Clause
// Transforms of whole planes, good numbers of points, and the memory that transforms of lines take.
#include <gtest/gtest.h>

#include <cstddef>

#include "spectral/spectral_sample.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/spectral/dft.hpp"
#include "tessera/spectral/plane_transform.hpp"

namespace {

using namespace tessera;
using namespace tessera::spectral;
using test::WholeArray;
using test::Wide;

template <class T>
void expect_planes(int width, int height) {
  test::Random random(3);
  const Box box{{0, width}, {0, height}};
  WholeArray<T> image(box);
  test::fill_randomly(random, image);
  Plane<T> plane(static_cast<std::size_t>(box.size()));
  Plane<std::complex<T>> half(static_cast<std::size_t>(half_spectrum(box).size()));
  std::copy(image.values.begin(), image.values.end(), plane.data());
  const PlaneTransform<T> transform(width, height);
  transform.forward(plane.data(), half.data());
  EXPECT_TRUE(std::equal(image.values.begin(), image.values.end(), plane.data())) << "the plane is kept";
  WholeArray<std::complex<T>> found(half_spectrum(box));
  std::copy_n(half.data(), found.values.size(), found.values.begin());
  const WholeArray<Wide> expected = test::plain_dft(test::wide(image), 2, -1);
  WholeArray<Kokkos::complex<T>> spectrum(half_spectrum(box));
  for (std::size_t i = 0; i < found.values.size(); ++i)
    spectrum.values[i] = Kokkos::complex<T>(found.values[i].real(), found.values[i].imag());
  EXPECT_LT(test::error_of<T>(spectrum, expected, box.size()), 3) << width << " x " << height;
  transform.inverse(half.data(), plane.data());
  WholeArray<T> again(box);
  for (std::size_t i = 0; i < again.values.size(); ++i)
    again.values[i] = plane.data()[i] / static_cast<T>(box.size());
  EXPECT_LT(test::error_of<T>(again, test::wide(image), box.size()), 3) << width << " x " << height;
}

TEST(PlaneTransform, BothDirections) {
  for (const auto& [width, height] : {std::pair{1, 1}, {8, 6}, {7, 5}, {16, 1}, {1, 9}, {37, 24}}) {
    expect_planes<float>(width, height);
    expect_planes<double>(width, height);
  }
}

TEST(PlaneTransform, PlanesWithoutPointsAreRefused) {
  EXPECT_THROW(PlaneTransform<float>(0, 4), InternalError);
  EXPECT_THROW(PlaneTransform<double>(4, -1), InternalError);
}

TEST(GoodPoints, AreTheNextWithSmallFactors) {
  const std::pair<int, int> all[] = {{1, 1},   {7, 7},     {11, 12},     {13, 14},       {17, 18},
                                     {97, 98}, {121, 125}, {4097, 4116}, {65537, 65610}, {1 << 30, 1 << 30}};
  for (const auto& [points, good] : all) EXPECT_EQ(good_points(points), good);
  EXPECT_THROW(good_points(0), InternalError);
  EXPECT_THROW(good_points((1 << 30) + 1), InternalError);
}

TEST(LineTransform, PlansCountItsMemory) {
  Pipeline pipeline;
  const Box box{{0, 40}, {0, 500}};
  const auto in = pipeline.input<float, 2>("in", box);
  pipeline.output(dft_of_real<float, 2>(pipeline, "half", in, box), half_spectrum(box));
  Target target;
  target.threads = 2;
  target.device = false;
  const Plan plan = make_plans(pipeline, {}, target, 1)[0];
  // Each thread has at least one line of 500 complex numbers, and another one for the result.
  EXPECT_GE(plan.library_bytes, 2 * 2 * 500 * std::int64_t{8});
  EXPECT_LE(plan.library_bytes, 2 * 2 * 64 * 520 * std::int64_t{8});
}

}  // namespace
