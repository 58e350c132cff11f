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
  using reducer = ExactSumReducer;
  using value_type = ExactSum<T>;
  using result_view_type = Kokkos::View<value_type, Space>;

  /// The result is written to `result`, and parallel_reduce waits for it.
  KOKKOS_FUNCTION explicit ExactSumReducer(value_type& result) : result_(&result), references_scalar_(true) {}
  KOKKOS_FUNCTION explicit ExactSumReducer(const result_view_type& result)
      : result_(result), references_scalar_(false) {}

  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const { sum.merge(other); }
  /// What Kokkos 3 calls; the sums themselves are not volatile.
  KOKKOS_FUNCTION void join(volatile value_type& sum, const volatile value_type& other) const
      requires(compat::joins_are_volatile) {
    const_cast<value_type&>(sum).merge(const_cast<const value_type&>(other));
  }
  KOKKOS_FUNCTION void init(value_type& sum) const { sum = value_type(); }
  KOKKOS_FUNCTION value_type& reference() const { return *result_.data(); }
  KOKKOS_FUNCTION result_view_type view() const { return result_; }
  KOKKOS_FUNCTION bool references_scalar() const { return references_scalar_; }

 private:
  result_view_type result_;
  bool references_scalar_;
};

}  // namespace tessera
