// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/operators/registry.hpp"

// Point operators: each point of the result depends on the same point of one, two or three images. These are
// the monadic, dyadic and triadic operators of C. Nicolescu and P. Jonker, A data and task parallel image
// processing environment, Parallel Computing, 2002, tables 1 to 3, and others.
//
// Results of integers are rounded to the nearest integer, where halves become the greater one, and limited to
// the range of the type, unless something else is said. All functions throw ParameterError and OperandError
// (see registry.hpp).

namespace tessera::operators {

/// The parameters of operators that combine an image with a constant.
struct Arithmetic {
  std::optional<double> value = {};  ///< the constant, which must be given if there is no second image
};

/// The parameters of products and quotients.
struct Scaling {
  std::optional<double> value = {};  ///< the constant, which must be given if there is no second image
  double scale = 1;                  ///< a factor of the result
};

/// Adds a constant or another image to an image.
inline constexpr Function<Arithmetic, 1, 2> add{"add"};
/// Subtracts a constant or another image from an image.
inline constexpr Function<Arithmetic, 1, 2> subtract{"subtract"};
/// The absolute difference of an image and a constant or another image.
inline constexpr Function<Arithmetic, 1, 2> difference{"difference"};
/// The lesser of each point and a constant or the point of another image; NaN if one of them is NaN.
inline constexpr Function<Arithmetic, 1, 2> minimum{"minimum"};
/// The greater of each point and a constant or the point of another image; NaN if one of them is NaN.
inline constexpr Function<Arithmetic, 1, 2> maximum{"maximum"};
/// The bits that each point has in common with a constant or another image. Images are of integers.
inline constexpr Function<Arithmetic, 1, 2> bit_and{"bit_and"};
/// The bits of each point and of a constant or another image. Images are of integers.
inline constexpr Function<Arithmetic, 1, 2> bit_or{"bit_or"};
/// The bits that differ between each point and a constant or another image. Images are of integers.
inline constexpr Function<Arithmetic, 1, 2> bit_xor{"bit_xor"};
/// Multiplies an image by a constant or another image.
inline constexpr Function<Scaling, 1, 2> multiply{"multiply"};
/// Divides an image by a constant, which must not be 0, or another image. Integers that are divided by 0
/// become 0.
inline constexpr Function<Scaling, 1, 2> divide{"divide"};

/// The absolute value of each point.
inline constexpr Function<NoParameters> abs{"abs"};
/// The greatest value of the type minus each point; 1 minus each point for float32.
inline constexpr Function<NoParameters> invert{"invert"};

/// The parameters of `limit`.
struct Limits {
  static constexpr bool must_be_given = true;  ///< calls give them
  double low = 0;                              ///< the least value of the result
  double high = 1;                             ///< the greatest value of the result
};
/// Limits each point to the range from `low` to `high`. NaN becomes `low`.
inline constexpr Function<Limits> limit{"limit"};

/// The modes of `threshold`.
enum class ThresholdMode {
  binary,      ///< `high` above the threshold, and `low` elsewhere
  inverse,     ///< `low` above the threshold, and `high` elsewhere
  truncate,    ///< the threshold above the threshold; other points stay
  keep_above,  ///< points above the threshold stay; others become `low`
  keep_below   ///< points above the threshold become `low`; others stay
};
/// The parameters of `threshold`.
struct Threshold {
  static constexpr bool must_be_given = true;  ///< calls give them
  /// The threshold. Points are above it if they are greater.
  double value = 0;
  /// The changes of points above the threshold, and of all others.
  ThresholdMode mode = ThresholdMode::binary;
  double low = 0;  ///< the lower value of the result
  /// The higher value of the result. Without it this is the greatest value of the type, 1 for float32.
  std::optional<double> high = {};
};
/// Compares each point with a threshold.
inline constexpr Function<Threshold> threshold{"threshold"};

/// The parameters of `levels`. Shares are of the greatest value of the type, which is 1 for float32.
struct Levels {
  double black = 0;     ///< the share that becomes `low`
  double white = 1;     ///< the share that becomes `high`
  double exponent = 1;  ///< the exponent of the curve between them
  double low = 0;       ///< the share that is the least of the result
  double high = 1;      ///< the share that is the greatest of the result
};
/// Stretches the values from `black` to `white` to those from `low` to `high`, by a power law.
inline constexpr Function<Levels> levels{"levels"};

/// The parameters of `gamma`.
struct Gamma {
  static constexpr bool must_be_given = true;  ///< calls give them
  double exponent = 1;                         ///< the exponent: less than 1 makes an image brighter
};
/// Raises each point to a power, as a share of the greatest value of the type, which is 1 for float32.
inline constexpr Function<Gamma> gamma{"gamma"};

/// The parameters of `lookup`.
struct LookupTable {
  std::vector<double> table = {};  ///< the new value of each of the values 0 to 255
};
/// Replaces each point of uint8 by an entry of a table.
inline constexpr Function<LookupTable> lookup{"lookup"};

/// The parameters of `cast`.
struct Cast {
  ElementType to = ElementType::float32;  ///< the type of the result
  double scale = 1;                       ///< the factor of each point
  double offset = 0;                      ///< the number that is added to the product
  /// True if points are also scaled so that the greatest value of one type, which is 1 for float32, becomes
  /// that of the other.
  bool full_range = false;
};
/// Converts an image to another type.
inline constexpr Function<Cast> cast{"cast"};

/// Blends two images: image * alpha + other * (1 - alpha), where `alpha` is an image whose greatest value,
/// 1 for float32, stands for 1.
inline constexpr Function<NoParameters, 3> blend{"blend"};
/// The sum of the squared differences of `reference` and each of two images, as float32.
inline constexpr Function<NoParameters, 3> squared_differences{"squared_differences"};

}  // namespace tessera::operators
