// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/operators/parameter.hpp"
#include "tessera/operators/point.hpp"

// Operators on the channels of images. Images in colour have the channels red, green and blue, in this order.
// All functions throw ParameterError and OperandError (see registry.hpp).

namespace tessera::operators {

/// The parameters of `channel`.
struct Channel {
  /// The number of the channel, counted from 0.
  int index = 0;
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// One channel of an image, as an image of (x, y).
Image channel(Pipeline& pipeline, const Image& image, const Channel& parameters = {});

/// An image of (x, y, channel) whose channels are three images of (x, y).
Image merge(Pipeline& pipeline, const Image& first, const Image& second, const Image& third,
            const Named& parameters = {});

/// The parameters of `colour_matrix`.
struct ColourMatrix {
  /// A row of weights for each channel of the result, with a weight for each channel of the image, and
  /// possibly a number that is added.
  Matrix matrix = {};
  /// The name of the stage. The default is the name of the operator.
  std::string name = {};
};
/// Makes each channel of the result a weighted sum of the channels of an image. A matrix of one row makes an
/// image of (x, y).
Image colour_matrix(Pipeline& pipeline, const Image& image, const ColourMatrix& parameters);

/// The grey image of an image in colour, with the weights of ITU-R BT.601, as an image of (x, y).
Image grey(Pipeline& pipeline, const Image& image, const Named& parameters = {});
/// The luma Y and the chroma Cb and Cr of an image in colour, with the full range of the type, as in JPEG
/// files (ITU-T T.871).
Image ycbcr(Pipeline& pipeline, const Image& image, const Named& parameters = {});
/// The image in colour whose luma and chroma are those of an image.
Image from_ycbcr(Pipeline& pipeline, const Image& image, const Named& parameters = {});
/// The lightness L* and the coordinates a* and b* of an image in colour, as float32 (CIE 1976, white point
/// D65). The colours of the image are those of sRGB.
Image lab(Pipeline& pipeline, const Image& image, const Named& parameters = {});

}  // namespace tessera::operators
