// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/view/compat.hpp"
#include "tessera/view/exact_sum.hpp"

namespace tessera {

/// A Kokkos reducer that adds exact sums. The result of Kokkos::parallel_reduce then depends neither on the
/// number of threads nor on the order in which they end. `Space` is the memory space of the result, as in
/// Kokkos::Sum.
template <class T, class Space = Kokkos::HostSpace>
class ExactSumReducer {
 public:
  /// The type of the reducer itself, which Kokkos requires.
  using reducer = ExactSumReducer;
  /// The type of the value that is reduced.
  using value_type = ExactSum<T>;
  /// The view that holds the result.
  using result_view_type = Kokkos::View<value_type, Space>;

  /// Makes a reducer whose result is written to the variable `result`. Kokkos::parallel_reduce waits until
  /// the result has been written.
  KOKKOS_FUNCTION explicit ExactSumReducer(value_type& result) : result_(&result), references_scalar_(true) {}
  /// Makes a reducer whose result is written to the view `result`. Kokkos::parallel_reduce need not wait
  /// until the result has been written.
  KOKKOS_FUNCTION explicit ExactSumReducer(const result_view_type& result)
      : result_(result), references_scalar_(false) {}

  /// Adds `other` to `sum`.
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const { sum.merge(other); }
  /// Adds `other` to `sum`. Kokkos 3 calls this overload, whose parameters are volatile although the sums are
  /// not.
  KOKKOS_FUNCTION void join(volatile value_type& sum, const volatile value_type& other) const
      requires(compat::joins_are_volatile) {
    const_cast<value_type&>(sum).merge(const_cast<const value_type&>(other));
  }
  /// Sets `sum` to the empty sum, which is 0.
  KOKKOS_FUNCTION void init(value_type& sum) const { sum = value_type(); }
  /// Returns a reference to the result.
  KOKKOS_FUNCTION value_type& reference() const { return *result_.data(); }
  /// Returns the view that holds the result.
  KOKKOS_FUNCTION result_view_type view() const { return result_; }
  /// Returns true when the result is written to a variable, so that Kokkos::parallel_reduce waits for the
  /// result.
  KOKKOS_FUNCTION bool references_scalar() const { return references_scalar_; }

 private:
  result_view_type result_;
  bool references_scalar_;
};

}  // namespace tessera
