// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera::app {

/// The images that a program accepts.
struct ImageNeeds {
  /// The element types; empty means any.
  std::vector<ElementType> types = {};
  /// The number of planes: 0 means (x, y), and n means (x, y, n). Without it, images of (x, y) and of (x, y,
  /// plane) with any number of planes are accepted.
  std::optional<int> planes = {};
  /// The least number of points along x.
  std::int64_t least_width = 1;
  /// The least number of points along y.
  std::int64_t least_height = 1;
};

/// Throws InputError about the key `input.file` when the program does not accept this image.
void check_image(const io::ImageInfo& image, const deck::Deck& deck, const ImageNeeds& needs);

/// Returns the application with the names of the stages, the reductions, the loops, the output and the
/// numbers (outputs that are values or global reductions) of a pipeline of its own. `sample` is that pipeline
/// for some image, with all stages that there may be. Where no pipeline has all of them, call it again with
/// another sample, whose names are added. Throws InternalError when a sample does not have exactly one output
/// that is an image.
PipelineApplication with_names_of(const Algorithm& sample, PipelineApplication application);

/// Returns make<T, N>(domain) for the element type T of the image, which must be one of Types, and its 2 or 3
/// dimensions N. Throws InputError when the image has another type, or does not meet the other needs.
template <class... Types, class Make>
Pipeline pipeline_for(const io::ImageInfo& image, const deck::Deck& deck, const Make& make,
                      ImageNeeds needs = {}) {
  needs.types = {element_type_of<Types>()...};
  check_image(image, deck, needs);
  Pipeline pipeline;
  const auto make_of = [&]<class T>(std::type_identity<T>) {
    if (image.type != element_type_of<T>()) return;
    pipeline = image.domain.dimensions == 2 ? make.template operator()<T, 2>(image.domain)
                                            : make.template operator()<T, 3>(image.domain);
  };
  (make_of(std::type_identity<Types>{}), ...);
  return pipeline;
}

/// The main() of a program that accepts images of all Types, of (x, y) and (x, y, plane), and has no keys of
/// its own. `application` says what the program is called, and make<T, N>(domain) makes its pipeline. Returns
/// the exit status.
template <class Type, class... Types, class Make>
int run_image_application(int argc, char** argv, PipelineApplication application, const Make& make,
                          const ProgramBuild& build = this_program) {
  application.build = [make](const io::ImageInfo& image, const deck::Deck& deck) {
    return pipeline_for<Type, Types...>(image, deck, make);
  };
  const Pipeline sample = make.template operator()<Type, 2>(Box{{0, 8}, {0, 8}});
  return run_pipeline_application(argc, argv, with_names_of(sample, application), build);
}

}  // namespace tessera::app
