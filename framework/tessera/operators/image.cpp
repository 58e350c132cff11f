// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/image.hpp"

#include <fmt/format.h>

namespace tessera::operators {

void Image::check_is(ElementType expected, int expected_dimensions) const {
  if (type != expected || dimensions() != expected_dimensions)
    throw InternalError(
        fmt::format("an image of {} with {} dimensions is used as an image of {} with {} dimensions",
                    name_of(type), dimensions(), name_of(expected), expected_dimensions));
}

Image image_of(const Algorithm& pipeline, ArrayId array, const Box& domain) {
  const ArrayDeclaration& declaration = pipeline[array];
  const Box& points = domain.dimensions == 0 ? declaration.domain : domain;
  if (points.dimensions != declaration.dimensions || points.empty())
    throw InternalError(
        fmt::format("'{}' cannot be an image: it needs a domain of {} dimensions that is not empty",
                    declaration.name, declaration.dimensions));
  return {array, declaration.type, points};
}

void output(Pipeline& pipeline, const Image& image) { pipeline.output(image.id, image.domain); }

std::string extents_text(const Image& image) {
  std::string text;
  for (int d = 0; d < image.dimensions(); ++d)
    text += (d > 0 ? " x " : "") + std::to_string(image.domain[d].size());
  return text;
}

}  // namespace tessera::operators
