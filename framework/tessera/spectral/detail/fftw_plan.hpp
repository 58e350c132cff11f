// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fftw3.h>

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "tessera/domain/element_type.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/spectral/line_transform.hpp"

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

/// The fate of the input of a transform. FFTW cannot preserve the input of inverse transforms of planes to
/// real numbers.
enum class Input : std::uint8_t { preserved, lost };

/// A plan of FFTW for one line or plane without gaps. Arrays must be aligned as those that it was made for.
template <class In, class Out>
class FftwPlan {
 public:
  /// Plans the transform from `in` to `out`, which are not read, but may be written. `extents` are the
  /// numbers of points along each dimension, x last.
  FftwPlan(std::initializer_list<int> extents, Direction direction, In* in, Out* out, Input input) {
    const auto lock = lock_planner();
    const unsigned flags =
        FFTW_ESTIMATE | (input == Input::preserved ? FFTW_PRESERVE_INPUT : FFTW_DESTROY_INPUT);
    const int sign = direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
    const int rank = static_cast<int>(extents.size());
    const int* const points = extents.begin();
    if constexpr (!ComplexNumber<In> && is_float)
      plan_ = fftwf_plan_dft_r2c(rank, points, in, number(out), flags);
    else if constexpr (!ComplexNumber<In>)
      plan_ = fftw_plan_dft_r2c(rank, points, in, number(out), flags);
    else if constexpr (!ComplexNumber<Out> && is_float)
      plan_ = fftwf_plan_dft_c2r(rank, points, number(in), out, flags);
    else if constexpr (!ComplexNumber<Out>)
      plan_ = fftw_plan_dft_c2r(rank, points, number(in), out, flags);
    else if constexpr (is_float)
      plan_ = fftwf_plan_dft(rank, points, number(in), number(out), sign, flags);
    else
      plan_ = fftw_plan_dft(rank, points, number(in), number(out), sign, flags);
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

  /// Transforms one line or plane, whose alignment is that of the arrays of the plan.
  void execute(const In* in, Out* out) const {
    // FFTW's functions take no const. Callers whose input is lost pass one that they may change.
    In* const from = const_cast<In*>(in);
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
