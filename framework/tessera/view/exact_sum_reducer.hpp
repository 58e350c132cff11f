// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/view/compat.hpp"
#include "tessera/view/exact_sum.hpp"

namespace tessera {

/// A Kokkos reducer that merges exact sums: the result of Kokkos::parallel_reduce then depends neither on the
/// number of threads nor on the order in which they end. As with Kokkos::Sum, `Space` is the memory space of
/// the result.
template <class T, class Space = Kokkos::HostSpace>
class ExactSumReducer {
 public:
  /// The type of the reducer, which Kokkos asks for.
  using reducer = ExactSumReducer;
  /// The type of the value that is reduced.
  using value_type = ExactSum<T>;
  /// The view that holds the result.
  using result_view_type = Kokkos::View<value_type, Space>;

  /// Writes the result to `result`, and makes parallel_reduce wait for it.
  KOKKOS_FUNCTION explicit ExactSumReducer(value_type& result) : result_(&result), references_scalar_(true) {}
  /// Writes the result to the view `result`; parallel_reduce need not wait for it.
  KOKKOS_FUNCTION explicit ExactSumReducer(const result_view_type& result)
      : result_(result), references_scalar_(false) {}

  /// Adds `other` to `sum`.
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const { sum.merge(other); }
  /// Adds `other` to `sum`. Kokkos 3 calls this overload; the sums themselves are not volatile.
  KOKKOS_FUNCTION void join(volatile value_type& sum, const volatile value_type& other) const
      requires(compat::joins_are_volatile) {
    const_cast<value_type&>(sum).merge(const_cast<const value_type&>(other));
  }
  /// Makes `sum` the empty sum.
  KOKKOS_FUNCTION void init(value_type& sum) const { sum = value_type(); }
  /// Returns the result.
  KOKKOS_FUNCTION value_type& reference() const { return *result_.data(); }
  /// Returns the view that holds the result.
  KOKKOS_FUNCTION result_view_type view() const { return result_; }
  /// Returns true when the result is a variable of the host, for which parallel_reduce waits.
  KOKKOS_FUNCTION bool references_scalar() const { return references_scalar_; }

 private:
  result_view_type result_;
  bool references_scalar_;
};

}  // namespace tessera
