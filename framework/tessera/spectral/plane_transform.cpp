// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/spectral/plane_transform.hpp"

#include <fmt/format.h>

#include "tessera/domain/error.hpp"
#include "tessera/spectral/detail/fftw_plan.hpp"

namespace tessera::spectral {
namespace {

/// Returns the number of points of the half of the spectrum that is kept.
std::size_t half_size(int width, int height) {
  return static_cast<std::size_t>(width / 2 + 1) * static_cast<std::size_t>(height);
}

}  // namespace

template <class T>
struct PlaneTransform<T>::Plans {
  using Complex = Kokkos::complex<T>;

  /// Makes both plans. Making them needs memory, which is freed afterwards.
  Plans(int width, int height)
      : Plans({height, width}, Plane<T>(half_size(width, height) * 2),
              Plane<Complex>(half_size(width, height))) {}
  Plans(std::initializer_list<int> extents, Plane<T> plane, Plane<Complex> half)
      : forward(extents, Direction::forward, plane.data(), half.data(), detail::Input::preserved),
        inverse(extents, Direction::inverse, half.data(), plane.data(), detail::Input::lost) {}

  detail::FftwPlan<T, Complex> forward;
  detail::FftwPlan<Complex, T> inverse;
};

template <class T>
PlaneTransform<T>::PlaneTransform(int width, int height) {
  if (width < 1 || height < 1)
    throw InternalError(fmt::format("a Fourier transform of {} x {} points", width, height));
  plans_ = std::make_shared<const Plans>(width, height);
}

template <class T>
void PlaneTransform<T>::forward(const T* plane, std::complex<T>* half) const {
  plans_->forward.execute(plane, reinterpret_cast<Kokkos::complex<T>*>(half));
}

template <class T>
void PlaneTransform<T>::inverse(std::complex<T>* half, T* plane) const {
  plans_->inverse.execute(reinterpret_cast<Kokkos::complex<T>*>(half), plane);
}

template class PlaneTransform<float>;
template class PlaneTransform<double>;

}  // namespace tessera::spectral
