// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/operators/registry.hpp"

// Operators on the channels of images. Images in colour have the channels red, green and blue, in this order.
// All functions throw ParameterError and OperandError (see registry.hpp).

namespace tessera::operators {

/// The parameters of `channel`.
struct Channel {
  int index = 0;  ///< the number of the channel, counted from 0
};
/// One channel of an image, as an image of (x, y).
inline constexpr Function<Channel> channel{"channel"};

/// An image of (x, y, channel) whose channels are three images of (x, y).
inline constexpr Function<NoParameters, 3> merge{"merge"};

/// The parameters of `colour_matrix`.
struct ColourMatrix {
  /// A row of weights for each channel of the result, with a weight for each channel of the image, and
  /// possibly a number that is added.
  Matrix matrix = {};
};
/// Makes each channel of the result a weighted sum of the channels of an image. A matrix of one row makes an
/// image of (x, y).
inline constexpr Function<ColourMatrix> colour_matrix{"colour_matrix"};

/// The grey image of an image in colour, with the weights of ITU-R BT.601, as an image of (x, y).
inline constexpr Function<NoParameters> grey{"grey"};
/// The luma Y and the chroma Cb and Cr of an image in colour, with the full range of the type, as in JPEG
/// files (ITU-T T.871).
inline constexpr Function<NoParameters> ycbcr{"ycbcr"};
/// The image in colour whose luma and chroma are those of an image.
inline constexpr Function<NoParameters> from_ycbcr{"from_ycbcr"};
/// The lightness L* and the coordinates a* and b* of an image in colour, as float32 (CIE 1976, white point
/// D65). The colours of the image are those of sRGB.
inline constexpr Function<NoParameters> lab{"lab"};

}  // namespace tessera::operators
