// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace tessera::operators {

/// The handle of an image in a pipeline. Its element type and its number of dimensions are known at run time
/// only. An image has the dimensions (x, y), or (x, y, channel). The result of a global operator, such as a
/// histogram, is an array of one dimension.
struct Image {
  /// The id of the array in its pipeline.
  ArrayId id = no_array;
  /// The type of the points.
  ElementType type = ElementType::uint8;
  /// The points of the image. Its borders lie here: operators that read neighbours beyond get the values that
  /// their parameter `border` gives.
  Box domain;

  /// The number of dimensions.
  int dimensions() const { return domain.dimensions; }
  /// The number of channels, which is 1 for an image of (x, y).
  std::int64_t channels() const { return domain.dimensions == 3 ? domain[2].size() : 1; }
  /// Returns the handle as Pipeline has it. Throws InternalError if the image is not of T or has not N
  /// dimensions.
  template <class T, int N>
  Array<T, N> as() const {
    check_is(element_type_of<T>(), N);
    return {id};
  }

 private:
  void check_is(ElementType expected, int expected_dimensions) const;
};

/// Returns an array of a pipeline as an image. `domain` has the points of the image. Its default is the
/// domain of the array, which inputs, outputs and bounded stages have. Throws InternalError if there is none.
Image image_of(const Algorithm& pipeline, ArrayId array, const Box& domain = {});
/// Returns a typed handle as an image.
template <class T, int N>
Image image_of(const Algorithm& pipeline, Array<T, N> array, const Box& domain = {}) {
  return image_of(pipeline, array.id, domain);
}

/// Makes the whole image an output of the pipeline.
void output(Pipeline& pipeline, const Image& image);

/// Returns the extents of an image for messages, such as "640 x 480 x 3".
std::string extents_text(const Image& image);

}  // namespace tessera::operators
