// SPDX-License-Identifier: BSD-3-Clause
// What a transform refuses.
#include <gtest/gtest.h>

#include "tessera/domain/error.hpp"
#include "tessera/spectral/dft.hpp"

namespace {

using namespace tessera;
using Complex = Kokkos::complex<float>;

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const InternalError& error) {
    return error.what();
  }
  return "no error";
}

std::string message_for(const Box& box, int transformed) {
  return message_of([&] {
    Pipeline pipeline;
    const auto in = pipeline.input<Complex, 2>("input", {{0, 8}, {0, 8}});
    spectral::dft<float, 2>(pipeline, "spectrum", in, box, spectral::Direction::forward, transformed);
  });
}

TEST(DftErrors, DomainsThatDoNotFit) {
  EXPECT_EQ(message_for({{1, 8}, {0, 8}}, 2),
            "the Fourier transform 'spectrum' takes points from 0 on, not [1, 8) x [0, 8)");
  EXPECT_EQ(message_for({{0, 8}, {0, 8}}, 3),
            "the Fourier transform 'spectrum' of 3 dimensions does not fit [0, 8) x [0, 8) in 2 dimensions");
  EXPECT_EQ(message_for({{0, 8}, {0, 8}, {0, 3}}, 2),
            "the Fourier transform 'spectrum' of 2 dimensions does not fit [0, 8) x [0, 8) x [0, 3) in 2 "
            "dimensions");
}

TEST(DftErrors, TransformsThatDoNotExist) {
  using spectral::Direction;
  using spectral::LineTransform;
  EXPECT_EQ(message_of([] { LineTransform<Complex, Complex>(0, Direction::forward); }),
            "a Fourier transform of 0 points");
  const std::string wrong = "forward transforms give complex numbers, and inverse ones take them";
  EXPECT_EQ(message_of([] { LineTransform<float, Complex>(8, Direction::inverse); }), wrong);
  EXPECT_EQ(message_of([] { LineTransform<Complex, float>(8, Direction::forward); }), wrong);
}

}  // namespace
