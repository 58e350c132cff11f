// SPDX-License-Identifier: BSD-3-Clause
// The arguments that a transform refuses.
#include <gtest/gtest.h>

#include "messages.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/spectral/dft.hpp"

namespace {

using namespace tessera;
using Complex = Kokkos::complex<float>;
using test::expect_message;

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
  expect_message(message_for({{1, 8}, {0, 8}}, 2), {"Fourier transform", "'spectrum'", "takes points"});
  expect_message(message_for({{0, 8}, {0, 8}}, 3), {"Fourier transform", "'spectrum'", "3 dimensions does"});
  expect_message(message_for({{0, 8}, {0, 8}, {0, 3}}, 2),
                 {"Fourier transform", "'spectrum'", "2 dimensions does"});
}

TEST(DftErrors, TransformsThatDoNotExist) {
  using spectral::Direction;
  using spectral::LineTransform;
  expect_message(message_of([] { LineTransform<Complex, Complex>(0, Direction::forward); }),
                 {"Fourier transform", "0 points"});
  expect_message(message_of([] { LineTransform<float, Complex>(8, Direction::inverse); }),
                 {"forward transforms", "inverse ones"});
  expect_message(message_of([] { LineTransform<Complex, float>(8, Direction::forward); }),
                 {"forward transforms", "inverse ones"});
}

}  // namespace
