// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera::app {

/// The properties that an image must have so that a program accepts the image.
struct ImageNeeds {
  /// The accepted element types. If the list is empty, every type is accepted.
  std::vector<ElementType> types = {};
  /// The required number of planes: 0 for images (x, y), and n > 0 for images (x, y, plane); any if not set.
  std::optional<int> planes = {};
  /// The least number of points along x.
  std::int64_t least_width = 1;
  /// The least number of points along y.
  std::int64_t least_height = 1;
  /// The key that names the file of the image (see PipelineApplication::input_key).
  std::string key = "input.file";
};

/// Throws InputError about the key of the image when `image` does not meet `needs`, has more than 3
/// dimensions, or is an HDF5 data set whose last dimension is that of 1 to 4 channels, by its shape.
void check_image(const io::ImageInfo& image, const deck::Deck& deck, const ImageNeeds& needs);

/// Returns whether a deck names a file for the result.
bool has_output(const deck::Deck& deck);

/// Returns whether a deck asks for the picture of the result (see PipelineApplication::picture).
bool writes_picture(const deck::Deck& deck);

/// The arrays whose names a deck may give for the key `output.stages`, and the reasons why it may not give
/// the names of others.
struct WritableStages {
  /// The names of the stages and global reductions that can be written in addition to the result.
  std::vector<std::string> names = {};
  /// Why other arrays cannot be written, by their names.
  std::map<std::string, std::string> reasons = {};
  /// The word for an array in messages, such as 'there is no stage ...'.
  std::string kind = "stage";

  /// Adds the arrays of a pipeline. All stages and global reductions can be written that are not outputs
  /// already, and that no loop computes or changes.
  void add(const Algorithm& pipeline);
  /// Adds the name of an array that can be written, unless it is there already.
  void add_name(const std::string& name);
  /// Adds the name of the result.
  void add_result(const std::string& name);
  /// Adds the name of an input.
  void add_input(const std::string& name);
  /// Adds the name of a number that the run prints.
  void add_number(const std::string& name);
  /// Adds the name of an array that the loop `loop` computes or changes.
  void add_of_loop(const std::string& name, const std::string& loop);

  /// Returns whether the array can be written.
  bool has(const std::string& name) const;
  /// Returns why the array cannot be written and what to do, with the names that can be given instead, or an
  /// empty text if it can be written.
  std::string reason_against(const std::string& name) const;
};

/// Declares the key `output.stages`. It takes any names, which write_stages checks.
void declare_written_stages(deck::Schema& schema, const PipelineApplication& application);

/// Returns whether a pipeline has an output of this name.
bool is_output(const Algorithm& pipeline, const std::string& name);

/// Turns the stages that the key `output.stages` names into outputs, unless they are outputs already;
/// `result` is the name of the result. The domain of such an output is the set of all points that the result
/// needs, and does not depend on the schedule. Some of these points may lie outside the image, such as one
/// row above and one row below the image for the first stage of a blur. Throws InputError, which says why,
/// when `pipeline` has no stage of a given name that can be written, or when the deck wants such a stage not
/// to be stored.
void write_stages(Pipeline& pipeline, const PipelineApplication& application, const deck::Deck& deck,
                  const std::string& result);

/// Returns the names that the deck gives for the key `output.stages`. The list is empty if the deck does not
/// give this key.
std::vector<std::string> written_stages(const deck::Deck& deck);

/// Returns the stages of a pipeline whose names begin with that of one of `steps` and '_', with the name of
/// the step. If there are several such steps, it is the one with the longest name.
std::map<std::string, std::string> stages_of_steps(const Algorithm& pipeline,
                                                   const std::vector<std::string>& steps);

/// Returns make<T, N>(domain), where T is the element type of the image, N is the number of dimensions of the
/// image, 2 or 3, and `domain` is the domain of the image. Throws InputError when T is not one of Types, or
/// when the image does not meet the other `needs`.
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

/// Runs a program that has no deck keys of its own, for images (x, y) and (x, y, plane) whose element type is
/// Type or one of Types: make<T, N>(domain) returns the pipeline for N dimensions of T. Returns the exit
/// status, which main() should return.
template <class Type, class... Types, class Make>
int run_image_application(int argc, char** argv, PipelineApplication application, const Make& make,
                          const ProgramBuild& build = this_program) {
  application.build = [make](const io::ImageInfo& image, const deck::Deck& deck) {
    return pipeline_for<Type, Types...>(image, deck, make);
  };
  return run_pipeline_application(argc, argv, application, build);
}

}  // namespace tessera::app
