// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/expression.hpp"

#include <fmt/format.h>

#include "tessera/domain/text.hpp"
#include "tessera/expressions/expression_stage.hpp"

namespace tessera::operators {
namespace {

using expressions::Expression;
using expressions::fail_at_column;

const Image& find_image(const Expression& expression, const Expression::Name& name,
                        const std::map<std::string, Image>& images) {
  const auto found = images.find(name.text);
  if (found != images.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [other, image] : images) known.push_back(other);
  fail_at_column(expression.text(), name.column,
                 fmt::format("there is no image '{}'{}", name.text, suggestion(name.text, known)));
}

/// The images and numbers that an expression reads.
struct Operands {
  std::vector<Image> images;
  std::vector<ArrayId> ids;
  std::vector<expressions::Operand> operands;

  Operands(const Expression& expression, const std::map<std::string, Image>& known) {
    for (const Expression::Name& name : expression.names()) {
      const Image& image = images.emplace_back(find_image(expression, name, known));
      ids.push_back(image.id);
      operands.push_back({image.type, image.dimensions()});
    }
  }
};

/// Returns the points of the result: those of the image with the most dimensions, or `without_images` if the
/// expression names no image.
Box common_domain(const Expression& expression, const std::vector<Image>& images, const Box& without_images) {
  Box domain = without_images;
  std::size_t largest = images.size();
  for (std::size_t i = 0; i < images.size(); ++i)
    if (images[i].dimensions() > 1 &&
        (largest == images.size() || images[i].dimensions() > domain.dimensions)) {
      domain = images[i].domain;
      largest = i;
    }
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Image& image = images[i];
    const Expression::Name& name = expression.names()[i];
    if (image.dimensions() == 1 && image.domain[0].size() != 1)
      fail_at_column(
          expression.text(), name.column,
          fmt::format("'{}' is a list of {} values, not an image", name.text, image.domain[0].size()));
    for (int d = 0; image.dimensions() > 1 && d < image.dimensions(); ++d)
      if (!(image.domain[d] == domain[d]))
        fail_at_column(expression.text(), name.column,
                       fmt::format("'{}' has {} points, but '{}' has {}: the images must have the same size",
                                   name.text, extents_text(image), expression.names()[largest].text,
                                   extents_text(images[largest])));
  }
  if (domain.dimensions < 2)
    fail_at_column(expression.text(), 1, "the expression names no image, so it has no points");
  return domain;
}

template <int N>
ArrayId add_input(Pipeline& pipeline, const std::string& name, ElementType type, const Box& domain) {
  BoundaryConditions borders(Boundary::clamp);
  for (std::size_t d = 2; d < max_dimensions; ++d) borders.side[d] = {};
  return with_element_type(
      type, [&]<class T>(std::type_identity<T>) { return pipeline.input<T, N>(name, domain, borders).id; });
}

}  // namespace

Image expression(Pipeline& pipeline, const std::string& text, const std::map<std::string, Image>& images,
                 const ExpressionParameters& parameters) {
  const Expression parsed(text);
  const Operands read(parsed, images);
  const Box domain = common_domain(parsed, read.images, parameters.domain);
  auto kernel =
      std::make_shared<expressions::ExpressionStage>(parsed, read.operands, parameters.type, domain);
  return {pipeline.stage_of_kernel(parameters.name, parameters.type, domain.dimensions, read.ids,
                                   std::move(kernel)),
          parameters.type, domain};
}

Array<std::uint8_t, 1> condition(Pipeline& pipeline, const std::string& text,
                                 const std::map<std::string, Image>& numbers, const std::string& name) {
  const Expression parsed = Expression(text).as_condition();
  const Operands read(parsed, numbers);
  for (std::size_t i = 0; i < read.images.size(); ++i)
    if (read.images[i].dimensions() != 1 || read.images[i].domain[0].size() != 1)
      fail_at_column(text, parsed.names()[i].column,
                     fmt::format("'{}' has {} points, but a condition reads only numbers",
                                 parsed.names()[i].text, extents_text(read.images[i])));
  auto kernel =
      std::make_shared<expressions::ExpressionStage>(parsed, read.operands, ElementType::uint8, Box{{0, 1}});
  return {pipeline.value_of_kernel(name, ElementType::uint8, 1, read.ids, std::move(kernel))};
}

Image input(Pipeline& pipeline, const std::string& name, ElementType type, const Box& domain) {
  if (domain.dimensions != 2 && domain.dimensions != 3)
    throw InternalError(fmt::format("an image has 2 or 3 dimensions, not {}", domain.dimensions));
  const ArrayId id = domain.dimensions == 2 ? add_input<2>(pipeline, name, type, domain)
                                            : add_input<3>(pipeline, name, type, domain);
  const Image image{id, type, domain};
  if (type == ElementType::uint8 || type == ElementType::uint16 || type == ElementType::float32) return image;
  return expression(pipeline, name, {{name, image}}, {.name = name + "_float32"});
}

}  // namespace tessera::operators
