// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

#include "tessera/domain/coordinate.hpp"

namespace tessera {

/// How the bounds of an interval depend on the box that a stage body runs on. It is exact for boxes within
/// [-limit, limit) in every dimension, on which no operation overflows: all operations are tried on that box,
/// the largest one.
struct Provenance {
  /// `constant`: the bounds do not depend on the box, as those of all that is computed from values alone.
  /// `affine`: over a box they are those of
  ///
  ///     floor((multiplier * x + [low, high]) / divisor),
  ///
  /// where x runs over dimension `dimension` of the box. `varying`: they depend on it in another way, or in
  /// an unknown one.
  enum Kind : unsigned char { constant, affine, varying };
  /// Closed forms hold for boxes within [-limit, limit) in every dimension.
  static constexpr std::int64_t limit = std::int64_t(1) << 26;

  /// How the bounds depend on the box.
  Kind kind = varying;
  /// The dimension of the box that an affine form depends on.
  unsigned char dimension = 0;
  /// The factor of x in an affine form; not 0.
  int multiplier = 0;
  /// The divisor of an affine form; positive.
  int divisor = 1;
  /// The lower end of what is added in an affine form. IndexForms stores the lower bound of a constant here.
  int low = 0;
  /// The upper end of what is added in an affine form. IndexForms stores the upper bound of a constant here.
  int high = 0;

  /// The bounds of an interval, both inclusive.
  struct Span {
    /// The least index.
    std::int64_t lower;
    /// The greatest index.
    std::int64_t upper;
  };

  /// The affine form with these numbers; `varying` when one of them does not fit (see `fits`).
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

  /// The bounds over the indices [first, last], which lie within the limit; for a constant they are [low,
  /// high].
  KOKKOS_FUNCTION Span over(std::int64_t first, std::int64_t last) const {
    const std::int64_t lower = (multiplier < 0 ? last : first) * multiplier + low;
    const std::int64_t upper = (multiplier < 0 ? first : last) * multiplier + high;
    if (divisor == 1) return {lower, upper};
    return {floor_divide<std::int64_t>(lower, divisor), floor_divide<std::int64_t>(upper, divisor)};
  }

  /// Whether these are the bounds on the largest box. After an overflow they are not.
  KOKKOS_FUNCTION bool matches(std::int64_t lower, std::int64_t upper) const {
    const Span span = over(-limit, limit - 1);
    return span.lower == lower && span.upper == upper;
  }

  /// Whether `other` is the same function of the box except for `low` and `high`. The hull of two such forms
  /// has the lesser `low` and the greater `high`.
  KOKKOS_FUNCTION bool is_parallel_to(const Provenance& other) const {
    return kind == other.kind && dimension == other.dimension && multiplier == other.multiplier &&
           divisor == other.divisor;
  }

  /// Whether the number has 32 bits and a negative of 32 bits. The product of two such numbers fits 64 bits.
  KOKKOS_FUNCTION static constexpr bool fits(std::int64_t number) {
    return -2147483647 <= number && number <= 2147483647;
  }
};

// The provenances of the results of interval arithmetic on affine operands.

/// The provenance of a value that may be either of two; a constant if both are.
KOKKOS_FUNCTION inline Provenance hull(Provenance p, const Provenance& q) {
  if (!p.is_parallel_to(q)) return {};
  p.low = p.low < q.low ? p.low : q.low;
  p.high = p.high > q.high ? p.high : q.high;
  return p;
}

/// The provenance of the sum with a constant interval [lower, upper].
KOKKOS_FUNCTION inline Provenance shifted(const Provenance& p, std::int64_t lower, std::int64_t upper) {
  if (p.kind != Provenance::affine || !Provenance::fits(lower) || !Provenance::fits(upper)) return {};
  return Provenance::of(p.dimension, p.multiplier, p.divisor, p.low + lower * p.divisor,
                        p.high + upper * p.divisor);
}

/// The provenance of the negative: -floor(u / d) is floor((d - 1 - u) / d).
KOKKOS_FUNCTION inline Provenance negated(const Provenance& p) {
  if (p.kind != Provenance::affine) return {};
  const std::int64_t rest = p.divisor - 1;
  return Provenance::of(p.dimension, -p.multiplier, p.divisor, rest - p.high, rest - p.low);
}

/// The provenance of the sum of two affine ones. Multipliers of opposite signs give none, because x - x on
/// intervals is wider than 0.
KOKKOS_FUNCTION inline Provenance added(const Provenance& p, const Provenance& q) {
  const bool same_sign = (p.multiplier < 0) == (q.multiplier < 0);
  if (p.kind != Provenance::affine || q.kind != Provenance::affine || p.dimension != q.dimension ||
      p.divisor != 1 || q.divisor != 1 || !same_sign)
    return {};
  return Provenance::of(p.dimension, std::int64_t(p.multiplier) + q.multiplier, 1,
                        std::int64_t(p.low) + q.low, std::int64_t(p.high) + q.high);
}

/// The provenance of the product with a known number.
KOKKOS_FUNCTION inline Provenance scaled(const Provenance& p, std::int64_t factor) {
  if (factor == 0) return {Provenance::constant};
  if (factor == -1) return negated(p);
  if (factor != 1 && (p.divisor != 1 || !Provenance::fits(factor))) return {};
  const std::int64_t first = p.low * factor, second = p.high * factor;
  return Provenance::of(p.dimension, p.multiplier * factor, p.divisor, factor < 0 ? second : first,
                        factor < 0 ? first : second);
}

/// The provenance of the quotient by a known number other than 0, rounded down.
KOKKOS_FUNCTION inline Provenance divided(const Provenance& p, std::int64_t by) {
  if (p.kind != Provenance::affine || !Provenance::fits(by)) return {};
  if (by < 0) return divided(negated(p), -by);
  return Provenance::of(p.dimension, p.multiplier, p.divisor * by, p.low, p.high);
}

}  // namespace tessera
