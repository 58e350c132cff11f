// SPDX-License-Identifier: BSD-3-Clause
// A user's program of image operators and Fourier transforms.
#include <cmath>
#include <cstdio>

#include "tessera/operators/operators.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/spectral/dft.hpp"

/// Calls `use` with every element of a block.
template <class T, class Use>
void for_each(const tessera::HostBlock& block, const Use& use) {
  const tessera::Box& box = block.box;
  for (auto y = box[1].begin; y < box[1].end; ++y)
    for (auto x = box[0].begin; x < box[0].end; ++x)
      use(x, y,
          reinterpret_cast<T*>(
              block.data)[(y - box[1].begin) * block.strides[1] + (x - box[0].begin) * block.strides[0]]);
}

/// An image of 8 in one column of eight, and 0 elsewhere.
struct Source final : tessera::BlockSource {
  void read(const tessera::HostBlock& block) override {
    for_each<float>(block, [](auto x, auto, float& value) { value = x % 8 == 0 ? 8.0f : 0.0f; });
  }
};

/// Expects the spectrum of the means of rows of eight pixels: all its power is at the frequency 0.
struct Sink final : tessera::BlockSink {
  void write(const tessera::HostBlock& block) override {
    for_each<Kokkos::complex<float>>(block, [this](auto x, auto y, const Kokkos::complex<float>& value) {
      const float expected = x == 0 && y == 0 ? 32.0f * 16.0f : 0.0f;
      wrong += std::abs(value.real() - expected) > 1e-2f || std::abs(value.imag()) > 1e-2f;
      ++points;
    });
  }
  int points = 0;
  int wrong = 0;
};

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const tessera::Box box{{0, 32}, {0, 16}};
  tessera::Pipeline pipeline;
  const auto image = tessera::operators::image_of(pipeline, pipeline.input<float, 2>("in", box));
  // The eight equal weights of a row of nine, the last of which is 0.
  const auto means = tessera::operators::convolution(
      pipeline, image,
      {.kernel = {{0, 1, 1, 1, 1, 1, 1, 1, 1}}, .normalise = true, .border = tessera::Boundary::periodic});
  const auto spectrum =
      tessera::spectral::dft_of_real<float, 2>(pipeline, "spectrum", means.as<float, 2>(), box);
  pipeline.output(spectrum, tessera::spectral::half_spectrum(box));

  Source source;
  Sink sink;
  tessera::Rehearsal(pipeline, tessera::make_plans(pipeline, {}, {}, 3))
      .run({{{"in", &source}}, {{"spectrum", &sink}}});
  std::printf("%d frequencies, %d of them wrong\n", sink.points, sink.wrong);
  return sink.points == 17 * 16 && sink.wrong == 0 ? 0 : 1;
}
