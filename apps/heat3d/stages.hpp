// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "problem.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace heat3d {

/// sin(pi mode i / intervals), with exactly the symmetries of a sine.
struct Sine {
  std::int64_t mode;
  std::int64_t intervals;

  KOKKOS_FUNCTION double operator()(tessera::Coordinate i) const {
    const std::int64_t place = mode * i.value % (2 * intervals);
    const std::int64_t in_half_wave = place % intervals;
    const std::int64_t from_zero = 2 * in_half_wave > intervals ? intervals - in_half_wave : in_half_wave;
    const double sine =
        std::sin(std::numbers::pi * static_cast<double>(from_zero) / static_cast<double>(intervals));
    return place < intervals ? sine : -sine;
  }
};

/// The initial values: the product of the sines of the three dimensions.
template <class T>
struct Product {
  template <class SineX, class SineY, class SineZ, class Coord>
  KOKKOS_FUNCTION auto operator()(const SineX& sine_x, const SineY& sine_y, const SineZ& sine_z, Coord x,
                                  Coord y, Coord z) const {
    return tessera::cast<T>(sine_x(x) * sine_y(y) * sine_z(z));
  }
};

/// An explicit Euler step with the seven-point stencil: the next value, and its difference from u. The ratios
/// are kappa time_step / h^2 of each dimension.
template <class T>
struct Step {
  T ratio_x;
  T ratio_y;
  T ratio_z;

  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y, Coord z) const {
    const auto here = u(x, y, z);
    const auto along_x = u(x - 1, y, z) + u(x + 1, y, z) - T(2) * here;
    const auto along_y = u(x, y - 1, z) + u(x, y + 1, z) - T(2) * here;
    const auto along_z = u(x, y, z - 1) + u(x, y, z + 1) - T(2) * here;
    const auto next = here + (ratio_x * along_x + ratio_y * along_y + ratio_z * along_z);
    return tessera::pack(next, next - here);
  }
};

/// The `progress` before the first step. It has two elements: the number of steps that were made, 0, and the
/// amplitude of the sines in the scheme, 1.
struct Begin {
  KOKKOS_FUNCTION double operator()(tessera::Coordinate i) const { return i.value == 0 ? 0.0 : 1.0; }
};
/// The `progress` after one more step, which multiplies the amplitude by `factor`.
struct Advance {
  double factor;

  template <class Progress, class Coord>
  KOKKOS_FUNCTION auto operator()(const Progress& progress, Coord i) const {
    return tessera::select(i == 0, progress(0) + 1.0, progress(1) * factor);
  }
};

/// Whether the greatest change of a step is at most the tolerance.
template <class T>
struct IsAtMost {
  T tolerance;

  template <class Change, class Coord>
  KOKKOS_FUNCTION auto operator()(const Change& change, Coord) const {
    return tessera::select(change(0) <= tolerance, 1, 0);
  }
};

/// The amplitude of the sines in the continuous problem, after the steps of `progress`.
struct Decay {
  double rate_per_step;

  template <class Progress, class Coord>
  KOKKOS_FUNCTION auto operator()(const Progress& progress, Coord) const {
    return tessera::exp(-rate_per_step * progress(0));
  }
};

/// The differences of u from the solution of the continuous problem, and from the solution of the scheme.
/// Each of the two solutions is the product of the sines and an amplitude.
struct Deviations {
  template <class U, class SineX, class SineY, class SineZ, class Decayed, class Progress, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const SineX& sine_x, const SineY& sine_y, const SineZ& sine_z,
                                  const Decayed& decay, const Progress& progress, Coord x, Coord y,
                                  Coord z) const {
    const auto sines = sine_x(x) * sine_y(y) * sine_z(z);
    const auto computed = tessera::cast<double>(u(x, y, z));
    return tessera::pack(computed - decay(0) * sines, computed - progress(1) * sines);
  }
};

/// A copy of u.
struct Copy {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y, Coord z) const {
    return u(x, y, z);
  }
};

/// Adds the loop `diffuse`, whose turns are the steps of u. Each turn also advances `progress`.
template <class T>
void add_steps(tessera::Pipeline& pipeline, const Problem& problem, tessera::Array<T, 3> u,
               tessera::Array<double, 1> progress) {
  const auto [ratio_x, ratio_y, ratio_z] = problem.ratios();
  const Step<T> step{static_cast<T>(ratio_x), static_cast<T>(ratio_y), static_cast<T>(ratio_z)};
  pipeline.repeat("diffuse", problem.steps, [&](const tessera::Pipeline::Loop& loop) {
    const auto [next, difference] = pipeline.stages<tessera::TypeList<T, T>>({"next", "difference"}, step, u);
    const auto change = pipeline.reduce("change", tessera::MaximumNorm<T>{}, difference, problem.unknowns());
    loop.feed(next, u);
    loop.feed(pipeline.values<double>("progress_made", Advance{problem.factor()}, 2, progress), progress);
    loop.watch(change);
    if (problem.tolerance)
      loop.until(
          pipeline.value<std::uint8_t>("done", IsAtMost<T>{static_cast<T>(*problem.tolerance)}, change));
  });
}

/// Returns the pipeline. Its results are `temperature` and three numbers: `error`, the greatest deviation
/// from the solution of the continuous problem, `discrete_error`, the greatest deviation from the solution of
/// the scheme without round-off, and `heat`, the sum of all unknowns.
template <class T>
tessera::Pipeline make_pipeline(const Problem& problem) {
  tessera::Pipeline pipeline;
  const auto sines = [&](const char* name, std::size_t d) {
    return pipeline.values<double>(name, Sine{problem.mode[d], problem.intervals[d]},
                                   static_cast<int>(problem.intervals[d] + 1));
  };
  const auto sine_x = sines("sine_x", 0), sine_y = sines("sine_y", 1), sine_z = sines("sine_z", 2);
  const tessera::Array<T, 3> u = pipeline.stage<T, 3>("u", Product<T>{}, sine_x, sine_y, sine_z);
  pipeline.bound(u, problem.unknowns(),
                 problem.is_periodic ? tessera::BoundaryConditions(tessera::Boundary::periodic)
                                     : tessera::BoundaryConditions::of_constant(T(0)));
  const auto progress = pipeline.values<double>("progress", Begin{}, 2);
  add_steps(pipeline, problem, u, progress);
  const auto decay = pipeline.value<double>("decay", Decay{problem.rate() * problem.time_step}, progress);
  const auto [deviation, discrete_deviation] = pipeline.stages<tessera::TypeList<double, double>>(
      {"deviation", "discrete_deviation"}, Deviations{}, u, sine_x, sine_y, sine_z, decay, progress);
  const tessera::Box unknowns = problem.unknowns();
  const tessera::MaximumNorm<double> norm;
  pipeline.output(pipeline.reduce("error", norm, deviation, unknowns));
  pipeline.output(pipeline.reduce("discrete_error", norm, discrete_deviation, unknowns));
  pipeline.output(pipeline.reduce("heat", tessera::Sum<T>{}, u, unknowns));
  pipeline.output(pipeline.stage<T>("temperature", Copy{}, u), problem.points());
  return pipeline;
}

}  // namespace heat3d
