// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "convolution.hpp"
#include "stages.hpp"
#include "tessera/spectral/dft.hpp"

namespace spectrum {

/// The results that the program can write.
enum class Result : std::uint8_t {
  power,       ///< |X|^2 divided by the number of pixels, the frequency 0 in the middle
  amplitude,   ///< the square root of `power`
  complex,     ///< the half spectrum, as the transform gives it
  image,       ///< the image of the filtered spectrum
  convolved,   ///< the convolution of the image with a kernel
  deconvolved  ///< the image that was convolved with a kernel, by Wiener's filter
};

/// The result that is computed from an image, and its parameters.
struct Task {
  Result result = Result::power;
  Filter filter = {};
  Kernel kernel = {};
  /// The values beyond the borders of the image, for convolutions and deconvolutions.
  tessera::Boundary border = tessera::Boundary::periodic;
  Method method = Method::automatic;
  /// The power of the noise divided by that of the image, for deconvolutions.
  double noise = 0;

  /// Returns whether a kernel takes part.
  bool has_kernel() const { return result == Result::convolved || result == Result::deconvolved; }
};

namespace detail {

/// Returns the boundary conditions with `border` in the plane of an image, and none along channels.
template <class In>
tessera::BoundaryConditions borders(tessera::Boundary border) {
  tessera::BoundaryConditions conditions = tessera::BoundaryConditions::of_constant(In(0));
  for (std::size_t d = 0; d < tessera::max_dimensions; ++d)
    conditions.side[d].fill(d < 2 ? border : tessera::Boundary::none);
  return conditions;
}

/// Adds the stages from the half spectrum `half` of an image to a result without a kernel.
template <class T, int N>
void add_result(tessera::Pipeline& pipeline, tessera::Array<Kokkos::complex<T>, N> half,
                const tessera::Box& image, Result result) {
  using tessera::Array;
  const int width = static_cast<int>(image[0].size()), height = static_cast<int>(image[1].size());
  if (result == Result::image) {
    pipeline.output(tessera::spectral::inverse_dft_to_real<T, N>(pipeline, "result", half, image, 2), image);
  } else {
    const HalfPower<T> power{width, height, result == Result::amplitude};
    const Array<T, N> values = pipeline.stage<T>("half_power", power, half);
    pipeline.output(
        pipeline.library_stage<T, N>("result", WholePower<T>{width, height}, {{1, height}}, values), image);
  }
}

/// Adds the stages `spectrum_x` and `spectrum` (the half spectrum), `filtered` if the filter holds anything
/// back, and `result`. If the half spectrum is wanted, its last stage is the result.
template <class T, int N>
void add_spectrum(tessera::Pipeline& pipeline, tessera::Array<T, N> values, const tessera::Box& image,
                  const Task& task) {
  const bool is_complex = task.result == Result::complex;
  const bool is_last = is_complex && !task.filter.is_active();
  auto half =
      tessera::spectral::dft_of_real<T, N>(pipeline, is_last ? "result" : "spectrum", values, image, 2);
  if (task.filter.is_active()) {
    const Filtered<T> body{task.filter, static_cast<int>(image[0].size()), static_cast<int>(image[1].size())};
    half = pipeline.stage<Kokkos::complex<T>>(is_complex ? "result" : "filtered", body, half);
  }
  if (is_complex)
    pipeline.output(half, tessera::spectral::half_spectrum(image));
  else
    add_result<T, N>(pipeline, half, image, task.result);
}

/// Adds the stages from the padded image `values` and the kernel `weights` to the result: the spectra of
/// both, the product or quotient of these, its image, and `result` without the padding.
template <class T, int N>
void add_with_kernel(tessera::Pipeline& pipeline, tessera::Array<T, N> values, tessera::Array<T, 2> weights,
                     const tessera::Box& image, const Padding& padding, const Task& task) {
  using namespace tessera;
  using spectral::dft_of_real;
  const Box box = padding.around(image), plane{box[0], box[1]};
  const int width = static_cast<int>(box[0].size()), height = static_cast<int>(box[1].size());
  const auto wrapped = pipeline.stage<T>("kernel_wrapped", Wrapped{task.kernel, width, height}, weights);
  const auto kernel = dft_of_real<T, 2>(pipeline, "kernel_spectrum", wrapped, plane, 2);
  const auto spectrum = dft_of_real<T, N>(pipeline, "spectrum", values, box, 2);
  Array<Kokkos::complex<T>, N> changed{};
  if (task.result == Result::convolved)
    changed = pipeline.stage<Kokkos::complex<T>>("product", Product(), spectrum, kernel);
  else
    changed = pipeline.stage<Kokkos::complex<T>>("quotient", Quotient<T>{static_cast<T>(task.noise)},
                                                 spectrum, kernel);
  const bool is_padded = !(box == image);
  Array<T, N> result =
      spectral::inverse_dft_to_real<T, N>(pipeline, is_padded ? "padded" : "result", changed, box, 2);
  if (is_padded) result = pipeline.stage<T>("result", Values<T>{-padding.left, -padding.top}, result);
  pipeline.output(result, image);
}

}  // namespace detail

/// Returns the pipeline of a task. Its first stage is `values`, the image as T, padded if need be.
template <class In, class T, int N>
tessera::Pipeline make_pipeline(const tessera::Box& image, const Task& task) {
  using namespace tessera;
  Pipeline pipeline;
  if (!task.has_kernel()) {
    const auto input = pipeline.input<In, N>("input", image);
    detail::add_spectrum<T, N>(pipeline, pipeline.stage<T>("values", Values<T>(), input), image, task);
    return pipeline;
  }
  const Padding padding = Padding::of(image, task.kernel, task.border);
  const auto input = pipeline.input<In, N>("input", image, detail::borders<In>(task.border));
  const Array<T, 2> weights = add_weights<T>(pipeline, task.kernel);
  const Costs costs(image, task.kernel, padding, sizeof(T));
  if (task.result == Result::convolved) pipeline.remark(costs.remark(task.method));
  if (task.result == Result::convolved && costs.chosen(task.method) == Method::direct) {
    const auto values = pipeline.stage<T>("values", Values<T>(), input);
    pipeline.output(
        pipeline.library_stage<T, N>("result", DirectConvolution<T>{task.kernel}, {}, values, weights),
        image);
  } else {
    const auto values = pipeline.stage<T>("values", Values<T>{padding.left, padding.top}, input);
    detail::add_with_kernel<T, N>(pipeline, values, weights, image, padding, task);
  }
  return pipeline;
}

}  // namespace spectrum
