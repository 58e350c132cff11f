// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

#include "tessera/domain/coordinate.hpp"

namespace tessera {

/// How the bounds of an interval depend on the box that a stage body computes. A provenance that is constant
/// or affine is exact for all boxes within the largest box, which is [-limit, limit) in every dimension.
/// Inference runs the body on the largest box, and so notices operations that would overflow there.
struct Provenance {
  /// The ways that bounds may depend on the box. `constant`: the bounds do not depend on the box. This is so
  /// for everything that is computed only from pixel values and plain numbers. `affine`: the bounds are the
  /// least and the greatest value of
  ///
  ///     floor((multiplier * x + [low, high]) / divisor),
  ///
  /// where x takes all coordinates of the box in dimension `dimension`, and [low, high] stands for each
  /// number of this interval. `varying`: the bounds depend on the box in another way, or in an unknown way.
  enum Kind : unsigned char { constant, affine, varying };
  /// The largest box is [-limit, limit) in every dimension. Provenances hold for the boxes within it.
  static constexpr std::int64_t limit = std::int64_t(1) << 26;

  /// How the bounds depend on the box.
  Kind kind = varying;
  /// The dimension of the box whose coordinates an affine form has.
  unsigned char dimension = 0;
  /// The factor of x in an affine form; not 0.
  int multiplier = 0;
  /// The divisor of an affine form; positive.
  int divisor = 1;
  /// The lower end of the interval that an affine form adds. If an index is constant, IndexForms stores its
  /// lower bound here.
  int low = 0;
  /// The upper end of the interval that an affine form adds. If an index is constant, IndexForms stores its
  /// upper bound here.
  int high = 0;

  /// The bounds of an interval, both inclusive.
  struct Span {
    /// The lower bound.
    std::int64_t lower;
    /// The upper bound.
    std::int64_t upper;
  };

  /// Returns the affine form with these numbers. Returns `varying` if `multiplier`, `divisor`, `low` or
  /// `high` does not fit into 32 bits (see `fits`).
  KOKKOS_FUNCTION static Provenance of(int dimension, std::int64_t multiplier, std::int64_t divisor,
                                       std::int64_t low, std::int64_t high) {
    if (!fits(multiplier) || !fits(divisor) || !fits(low) || !fits(high)) return {};
    return {affine,
            static_cast<unsigned char>(dimension),
            static_cast<int>(multiplier),
            static_cast<int>(divisor),
            static_cast<int>(low),
            static_cast<int>(high)};
  }

  /// Returns the bounds over a box that has the coordinates from `first` to `last` in dimension `dimension`.
  /// The coordinates must lie within [-limit, limit). For a constant, the bounds are `low` and `high`.
  KOKKOS_FUNCTION Span over(std::int64_t first, std::int64_t last) const {
    const std::int64_t lower = (multiplier < 0 ? last : first) * multiplier + low;
    const std::int64_t upper = (multiplier < 0 ? first : last) * multiplier + high;
    if (divisor == 1) return {lower, upper};
    return {floor_divide<std::int64_t>(lower, divisor), floor_divide<std::int64_t>(upper, divisor)};
  }

  /// Whether this affine form gives the bounds `lower` and `upper` on the largest box. It does not if an
  /// operation has overflowed there.
  KOKKOS_FUNCTION bool matches(std::int64_t lower, std::int64_t upper) const {
    const Span span = over(-limit, limit - 1);
    return span.lower == lower && span.upper == upper;
  }

  /// Whether `other` and this provenance are parallel: they differ at most in `low` and `high`. The hull of
  /// two parallel forms has the lesser `low` and the greater `high`.
  KOKKOS_FUNCTION bool is_parallel_to(const Provenance& other) const {
    return kind == other.kind && dimension == other.dimension && multiplier == other.multiplier &&
           divisor == other.divisor;
  }

  /// Whether `number` and -`number` both fit into 32 bits. The product of two such numbers fits into 64 bits.
  KOKKOS_FUNCTION static constexpr bool fits(std::int64_t number) {
    return -2147483647 <= number && number <= 2147483647;
  }
};

// The functions below return the provenances of the results of interval arithmetic.

/// Returns the provenance of the hull of two intervals that have the provenances `p` and `q`. Parallel forms
/// are joined, two constants give a constant, and the result is `varying` otherwise.
KOKKOS_FUNCTION inline Provenance hull(Provenance p, const Provenance& q) {
  if (!p.is_parallel_to(q)) return {};
  p.low = p.low < q.low ? p.low : q.low;
  p.high = p.high > q.high ? p.high : q.high;
  return p;
}

/// Returns the provenance of the sum of an interval with the affine provenance `p` and a constant interval
/// [lower, upper].
KOKKOS_FUNCTION inline Provenance shifted(const Provenance& p, std::int64_t lower, std::int64_t upper) {
  if (p.kind != Provenance::affine || !Provenance::fits(lower) || !Provenance::fits(upper)) return {};
  return Provenance::of(p.dimension, p.multiplier, p.divisor, p.low + lower * p.divisor,
                        p.high + upper * p.divisor);
}

/// Returns the provenance of -i, where `p` is the affine provenance of the interval i. It is computed by the
/// rule that -floor(u / d) equals floor((d - 1 - u) / d).
KOKKOS_FUNCTION inline Provenance negated(const Provenance& p) {
  if (p.kind != Provenance::affine) return {};
  const std::int64_t rest = p.divisor - 1;
  return Provenance::of(p.dimension, -p.multiplier, p.divisor, rest - p.high, rest - p.low);
}

/// Returns the provenance of the sum of two intervals with the affine provenances `p` and `q`. If the
/// multipliers have opposite signs, the result is `varying`, because the bounds of x - x in interval
/// arithmetic are not those of 0 * x.
KOKKOS_FUNCTION inline Provenance added(const Provenance& p, const Provenance& q) {
  const bool same_sign = (p.multiplier < 0) == (q.multiplier < 0);
  if (p.kind != Provenance::affine || q.kind != Provenance::affine || p.dimension != q.dimension ||
      p.divisor != 1 || q.divisor != 1 || !same_sign)
    return {};
  return Provenance::of(p.dimension, std::int64_t(p.multiplier) + q.multiplier, 1,
                        std::int64_t(p.low) + q.low, std::int64_t(p.high) + q.high);
}

/// Returns the provenance of the product of an interval with the affine provenance `p` and a known number.
KOKKOS_FUNCTION inline Provenance scaled(const Provenance& p, std::int64_t factor) {
  if (factor == 0) return {Provenance::constant};
  if (factor == -1) return negated(p);
  if (factor != 1 && (p.divisor != 1 || !Provenance::fits(factor))) return {};
  const std::int64_t first = p.low * factor, second = p.high * factor;
  return Provenance::of(p.dimension, p.multiplier * factor, p.divisor, factor < 0 ? second : first,
                        factor < 0 ? first : second);
}

/// Returns the provenance of the quotient of an interval with the affine provenance `p` and a known number
/// other than 0. The quotient is rounded down.
KOKKOS_FUNCTION inline Provenance divided(const Provenance& p, std::int64_t by) {
  if (p.kind != Provenance::affine || !Provenance::fits(by)) return {};
  if (by < 0) return divided(negated(p), -by);
  return Provenance::of(p.dimension, p.multiplier, p.divisor * by, p.low, p.high);
}

}  // namespace tessera
