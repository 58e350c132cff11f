// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/operators/image.hpp"

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
  /// The constant, which must be given if there is no second image.
  std::optional<double> value = {};
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};

/// The parameters of products and quotients.
struct Scaling {
  /// The constant, which must be given if there is no second image.
  std::optional<double> value = {};
  /// A factor of the result.
  double scale = 1;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};

/// The parameters of operators that have no parameters but the name of the stage.
struct Named {
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};

/// Adds a constant to an image.
Image add(Pipeline& pipeline, const Image& image, const Arithmetic& parameters);
/// Adds two images.
Image add(Pipeline& pipeline, const Image& image, const Image& other, const Named& parameters = {});
/// Subtracts a constant from an image.
Image subtract(Pipeline& pipeline, const Image& image, const Arithmetic& parameters);
/// Subtracts the image `other` from another one.
Image subtract(Pipeline& pipeline, const Image& image, const Image& other, const Named& parameters = {});
/// The absolute difference of an image and a constant.
Image difference(Pipeline& pipeline, const Image& image, const Arithmetic& parameters);
/// The absolute difference of two images.
Image difference(Pipeline& pipeline, const Image& image, const Image& other, const Named& parameters = {});
/// The lesser of each point and a constant.
Image minimum(Pipeline& pipeline, const Image& image, const Arithmetic& parameters);
/// The lesser of each two points; NaN if one of them is NaN.
Image minimum(Pipeline& pipeline, const Image& image, const Image& other, const Named& parameters = {});
/// The greater of each point and a constant.
Image maximum(Pipeline& pipeline, const Image& image, const Arithmetic& parameters);
/// The greater of each two points; NaN if one of them is NaN.
Image maximum(Pipeline& pipeline, const Image& image, const Image& other, const Named& parameters = {});
/// The bits that each point and a constant have in common. The image is of integers.
Image bit_and(Pipeline& pipeline, const Image& image, const Arithmetic& parameters);
/// The bits that each two points have in common. The images are of integers.
Image bit_and(Pipeline& pipeline, const Image& image, const Image& other, const Named& parameters = {});
/// The bits of each point and of a constant. The image is of integers.
Image bit_or(Pipeline& pipeline, const Image& image, const Arithmetic& parameters);
/// The bits of each two points. The images are of integers.
Image bit_or(Pipeline& pipeline, const Image& image, const Image& other, const Named& parameters = {});
/// The bits in which each point and a constant differ. The image is of integers.
Image bit_xor(Pipeline& pipeline, const Image& image, const Arithmetic& parameters);
/// The bits in which each two points differ. The images are of integers.
Image bit_xor(Pipeline& pipeline, const Image& image, const Image& other, const Named& parameters = {});
/// Multiplies an image by a constant.
Image multiply(Pipeline& pipeline, const Image& image, const Scaling& parameters);
/// Multiplies two images.
Image multiply(Pipeline& pipeline, const Image& image, const Image& other, const Scaling& parameters = {});
/// Divides an image by a constant, which must not be 0.
Image divide(Pipeline& pipeline, const Image& image, const Scaling& parameters);
/// Divides an image by another one. Integers that are divided by 0 become 0.
Image divide(Pipeline& pipeline, const Image& image, const Image& other, const Scaling& parameters = {});

/// The absolute value of each point.
Image abs(Pipeline& pipeline, const Image& image, const Named& parameters = {});
/// The greatest value of the type minus each point; 1 minus each point for float32.
Image invert(Pipeline& pipeline, const Image& image, const Named& parameters = {});

/// The parameters of `limit`.
struct Limits {
  /// The least value of the result.
  double low = 0;
  /// The greatest value of the result.
  double high = 1;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Limits each point to the range from `low` to `high`. NaN becomes `low`.
Image limit(Pipeline& pipeline, const Image& image, const Limits& parameters);

/// The ways in which `threshold` changes points.
enum class ThresholdMode {
  binary,      ///< `high` above the threshold, and `low` elsewhere
  inverse,     ///< `low` above the threshold, and `high` elsewhere
  truncate,    ///< the threshold above the threshold; other points stay
  keep_above,  ///< points above the threshold stay; others become `low`
  keep_below   ///< points above the threshold become `low`; others stay
};
/// The parameters of `threshold`.
struct Threshold {
  /// The threshold. Points are above it if they are greater.
  double value = 0;
  /// The way in which points above the threshold, and all others, are changed.
  ThresholdMode mode = ThresholdMode::binary;
  /// The lower value of the result.
  double low = 0;
  /// The higher value of the result. Without it this is the greatest value of the type, 1 for float32.
  std::optional<double> high = {};
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Compares each point with a threshold.
Image threshold(Pipeline& pipeline, const Image& image, const Threshold& parameters);

/// The parameters of `levels`. Shares are of the greatest value of the type, which is 1 for float32.
struct Levels {
  /// The share that becomes `low`.
  double black = 0;
  /// The share that becomes `high`.
  double white = 1;
  /// The exponent of the curve between them.
  double exponent = 1;
  /// The share that is the least of the result.
  double low = 0;
  /// The share that is the greatest of the result.
  double high = 1;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Stretches the values from `black` to `white` to those from `low` to `high`, by a power law.
Image levels(Pipeline& pipeline, const Image& image, const Levels& parameters);

/// The parameters of `gamma`.
struct Gamma {
  /// The exponent: less than 1 makes an image brighter.
  double exponent = 1;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Raises each point to a power, as a share of the greatest value of the type, which is 1 for float32.
Image gamma(Pipeline& pipeline, const Image& image, const Gamma& parameters);

/// The parameters of `lookup`.
struct LookupTable {
  /// The new value of each of the values 0 to 255.
  std::vector<double> table = {};
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Replaces each point of uint8 by an entry of a table.
Image lookup(Pipeline& pipeline, const Image& image, const LookupTable& parameters);

/// The parameters of `cast`.
struct Cast {
  /// The type of the result.
  ElementType to = ElementType::float32;
  /// The factor by which points are multiplied.
  double scale = 1;
  /// The number that is added to the product.
  double offset = 0;
  /// Whether points are also scaled so that the greatest value of one type, which is 1 for float32, becomes
  /// that of the other.
  bool full_range = false;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Converts an image to another type.
Image cast(Pipeline& pipeline, const Image& image, const Cast& parameters = {});

/// Blends two images: image * alpha + other * (1 - alpha), where `alpha` is an image whose greatest value,
/// 1 for float32, stands for 1.
Image blend(Pipeline& pipeline, const Image& image, const Image& other, const Image& alpha,
            const Named& parameters = {});
/// The sum of the squared differences of `reference` and each of two images, as float32.
Image squared_differences(Pipeline& pipeline, const Image& reference, const Image& first, const Image& second,
                          const Named& parameters = {});

}  // namespace tessera::operators
