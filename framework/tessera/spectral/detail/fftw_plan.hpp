// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fftw3.h>

#include <type_traits>
#include <utility>

#include "tessera/domain/element_type.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/spectral/line_transform.hpp"
#include "tessera/spectral/planner_lock.hpp"

namespace tessera::spectral::detail {

/// The type of the parts of a complex number, or a real number itself.
template <class T>
struct PartOf {
  using type = T;
};
template <ComplexNumber T>
struct PartOf<T> {
  using type = typename T::value_type;
};

/// A plan of FFTW for one line, for arrays that are aligned as those for which it was made. The input is
/// preserved.
template <class In, class Out>
class FftwPlan {
 public:
  /// Plans the transform of `points` points from `in` to `out`, which are not read.
  FftwPlan(int points, Direction direction, In* in, Out* out) {
    const auto lock = lock_planner();
    const unsigned flags = FFTW_ESTIMATE | FFTW_PRESERVE_INPUT;
    const int sign = direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
    if constexpr (!ComplexNumber<In> && is_float)
      plan_ = fftwf_plan_dft_r2c_1d(points, in, number(out), flags);
    else if constexpr (!ComplexNumber<In>)
      plan_ = fftw_plan_dft_r2c_1d(points, in, number(out), flags);
    else if constexpr (!ComplexNumber<Out> && is_float)
      plan_ = fftwf_plan_dft_c2r_1d(points, number(in), out, flags);
    else if constexpr (!ComplexNumber<Out>)
      plan_ = fftw_plan_dft_c2r_1d(points, number(in), out, flags);
    else if constexpr (is_float)
      plan_ = fftwf_plan_dft_1d(points, number(in), number(out), sign, flags);
    else
      plan_ = fftw_plan_dft_1d(points, number(in), number(out), sign, flags);
    if (plan_ == nullptr) throw InternalError("FFTW makes no plan");
  }
  ~FftwPlan() {
    const auto lock = lock_planner();
    if constexpr (is_float)
      fftwf_destroy_plan(plan_);
    else
      fftw_destroy_plan(plan_);
  }
  FftwPlan(const FftwPlan&) = delete;
  FftwPlan& operator=(const FftwPlan&) = delete;

  /// Transforms one line.
  void execute(const In* in, Out* out) const {
    In* const from = const_cast<In*>(in);  // FFTW's functions take no const, but the plan preserves the input
    if constexpr (!ComplexNumber<In> && is_float)
      fftwf_execute_dft_r2c(plan_, from, number(out));
    else if constexpr (!ComplexNumber<In>)
      fftw_execute_dft_r2c(plan_, from, number(out));
    else if constexpr (!ComplexNumber<Out> && is_float)
      fftwf_execute_dft_c2r(plan_, number(from), out);
    else if constexpr (!ComplexNumber<Out>)
      fftw_execute_dft_c2r(plan_, number(from), out);
    else if constexpr (is_float)
      fftwf_execute_dft(plan_, number(from), number(out));
    else
      fftw_execute_dft(plan_, number(from), number(out));
  }

 private:
  static constexpr bool is_float = std::is_same_v<typename PartOf<In>::type, float>;
  using Number = std::conditional_t<is_float, fftwf_complex, fftw_complex>;

  template <class T>
  static Number* number(T* complex) {
    return reinterpret_cast<Number*>(complex);
  }

  std::conditional_t<is_float, fftwf_plan, fftw_plan> plan_ = nullptr;
};

}  // namespace tessera::spectral::detail
