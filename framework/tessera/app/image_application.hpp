// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera::app {

/// The images that a program takes.
struct ImageNeeds {
  /// Empty: any.
  std::vector<ElementType> types = {};
  /// 0: (x, y); n: (x, y, n). Without: (x, y), and (x, y, plane) with any number of planes.
  std::optional<int> planes = {};
  /// Points along x and y.
  std::int64_t least_width = 1;
  std::int64_t least_height = 1;
};

/// Throws InputError about `input.file` when the program does not take this image.
void check_image(const io::ImageInfo& image, const deck::Deck& deck, const ImageNeeds& needs);

/// The application, with the names of the stages, the reductions, the loops, the output and the numbers
/// (other outputs: values and global reductions) of a pipeline of its own: that of some image, with all
/// stages that there may be.
PipelineApplication with_names_of(const Algorithm& sample, PipelineApplication application);

/// make<T, N>(domain) for the type T, one of Types, and the 2 or 3 dimensions N of an image. Throws
/// InputError when it has another type, or not what it needs besides.
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

/// The main() of a program that takes images of all Types, of (x, y) and (x, y, plane), and has no keys of
/// its own: `application` says what it is called, make<T, N>(domain) makes its pipeline.
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
