// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

#include "tessera/domain/coordinate.hpp"

namespace tessera {

/// How the bounds of an interval depend on the box that a stage body runs on. `constant`: not at all, as of
/// all that is computed from values alone. `affine`: over a box they are those of
///     floor((multiplier * x + [low, high]) / divisor),
/// where x runs over dimension `dimension` of the box, the multiplier is not 0 and the divisor is positive.
/// `varying`: in another way, or nobody knows. Exact for boxes within [-limit, limit) in every dimension, on
/// which no operation overflows: all operations are tried on that box, the largest one.
struct Provenance {
  enum Kind : unsigned char { constant, affine, varying };
  static constexpr std::int64_t limit = std::int64_t(1) << 26;

  Kind kind = varying;
  unsigned char dimension = 0;
  int multiplier = 0;
  int divisor = 1;
  int low = 0;
  int high = 0;

  /// Bounds are inclusive.
  struct Span {
    std::int64_t lower;
    std::int64_t upper;
  };

  /// The affine one of these numbers; `varying` when one of them does not fit.
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

  /// The bounds over [first, last], which lies within the limit. Of a constant, [low, high].
  KOKKOS_FUNCTION Span over(std::int64_t first, std::int64_t last) const {
    const std::int64_t lower = (multiplier < 0 ? last : first) * multiplier + low;
    const std::int64_t upper = (multiplier < 0 ? first : last) * multiplier + high;
    if (divisor == 1) return {lower, upper};
    return {floor_divide<std::int64_t>(lower, divisor), floor_divide<std::int64_t>(upper, divisor)};
  }

  /// Whether these are the bounds on the largest box: they are not after an overflow.
  KOKKOS_FUNCTION bool matches(std::int64_t lower, std::int64_t upper) const {
    const Span span = over(-limit, limit - 1);
    return span.lower == lower && span.upper == upper;
  }

  /// The same function of the box but for `low` and `high`: hulls take the lesser low and the greater high.
  KOKKOS_FUNCTION bool is_parallel_to(const Provenance& other) const {
    return kind == other.kind && dimension == other.dimension && multiplier == other.multiplier &&
           divisor == other.divisor;
  }

  /// 32 bits, without the one number that has no negative: products of two of them fit 64 bits.
  KOKKOS_FUNCTION static constexpr bool fits(std::int64_t number) {
    return -2147483647 <= number && number <= 2147483647;
  }
};

// What interval arithmetic makes of affine bounds.

/// Either of two. Of constants, a constant.
KOKKOS_FUNCTION inline Provenance hull(Provenance p, const Provenance& q) {
  if (!p.is_parallel_to(q)) return {};
  p.low = p.low < q.low ? p.low : q.low;
  p.high = p.high > q.high ? p.high : q.high;
  return p;
}

/// Plus a constant interval.
KOKKOS_FUNCTION inline Provenance shifted(const Provenance& p, std::int64_t lower, std::int64_t upper) {
  if (p.kind != Provenance::affine || !Provenance::fits(lower) || !Provenance::fits(upper)) return {};
  return Provenance::of(p.dimension, p.multiplier, p.divisor, p.low + lower * p.divisor,
                        p.high + upper * p.divisor);
}

/// As -floor(u / d) is floor((d - 1 - u) / d).
KOKKOS_FUNCTION inline Provenance negated(const Provenance& p) {
  if (p.kind != Provenance::affine) return {};
  const std::int64_t rest = p.divisor - 1;
  return Provenance::of(p.dimension, -p.multiplier, p.divisor, rest - p.high, rest - p.low);
}

/// The sum of two; x - x is wider than 0, so multipliers of opposite signs have no such form.
KOKKOS_FUNCTION inline Provenance added(const Provenance& p, const Provenance& q) {
  const bool same_sign = (p.multiplier < 0) == (q.multiplier < 0);
  if (p.kind != Provenance::affine || q.kind != Provenance::affine || p.dimension != q.dimension ||
      p.divisor != 1 || q.divisor != 1 || !same_sign)
    return {};
  return Provenance::of(p.dimension, std::int64_t(p.multiplier) + q.multiplier, 1,
                        std::int64_t(p.low) + q.low, std::int64_t(p.high) + q.high);
}

/// Times a known number.
KOKKOS_FUNCTION inline Provenance scaled(const Provenance& p, std::int64_t factor) {
  if (factor == 0) return {Provenance::constant};
  if (factor == -1) return negated(p);
  if (factor != 1 && (p.divisor != 1 || !Provenance::fits(factor))) return {};
  const std::int64_t first = p.low * factor, second = p.high * factor;
  return Provenance::of(p.dimension, p.multiplier * factor, p.divisor, factor < 0 ? second : first,
                        factor < 0 ? first : second);
}

/// Divided by a known number other than 0 and rounded down.
KOKKOS_FUNCTION inline Provenance divided(const Provenance& p, std::int64_t by) {
  if (p.kind != Provenance::affine || !Provenance::fits(by)) return {};
  if (by < 0) return divided(negated(p), -by);
  return Provenance::of(p.dimension, p.multiplier, p.divisor * by, p.low, p.high);
}

}  // namespace tessera
