// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tessera/app/program_build.hpp"
#include "tessera/app/schedule_keys.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/key.hpp"
#include "tessera/io/image_info.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace tessera::app {

/// An image that a program may read besides its input, of the same type and size: the deck's keys
/// `<name>.file`, `<name>.dataset` and `<name>.page`. Where the deck gives it the pipeline has an input of
/// that name.
struct FurtherImage {
  std::string name;
  /// What it is, for --help.
  std::string help;
  bool required = false;
};

/// A program that sends one image through a pipeline whose input is called `input`, or that computes from its
/// deck alone; its pipeline has one output, and numbers.
struct PipelineApplication {
  std::string program;
  /// One sentence for --help.
  std::string summary;
  /// The intermediate stages, in order: all that a deck may schedule. `with_names_of` takes these and the
  /// names below from a pipeline, which is safer than to write them. A run ends with an error where its
  /// pipeline lacks one of them.
  std::vector<std::string> stages = {};
  /// Its global reductions.
  std::vector<std::string> reductions = {};
  /// Those whose arrays may be written beside the output; see writable_stages.
  std::vector<std::string> writable_stages = {};
  /// Its loops: a deck may say how many of their turns run together.
  std::vector<std::string> loops = {};
  std::string output = {};
  /// A deck that names no file for the output is legal: its pipeline need not have the output then.
  bool output_is_optional = false;
  /// Set by `with_names_of`: the names are those of sample pipelines with all that there may be. The pipeline
  /// of an image need not have each of them; what a deck says of others is then passed over.
  bool has_names_of_samples = false;
  /// Outputs of one element, which a run prints and reports. The pipeline of a deck need not have each.
  std::vector<std::string> numbers = {};
  /// What a run's numbers, by name, lack of what its deck asks for, in one line; empty when nothing. A run
  /// that lacks something ends with status 1. Called on rank 0.
  std::function<std::string(const std::map<std::string, double>&, const deck::Deck&)> verdict = {};
  std::vector<FurtherImage> further_images = {};
  /// Of a program that reads no image: the third dimension of its result are channels.
  bool generates_images = false;
  /// Its result is cells of uint8 in (x, y), which may be written as an RLE pattern, too.
  bool writes_patterns = false;
  /// Keys of its own: what `build` gets from the deck.
  std::vector<deck::KeyDeclaration> parameters = {};
  /// Those of them that only limit the turns of loops: a restart may have others.
  std::vector<std::string> turn_limits = {};
  /// The pipeline for an image of this type and size. Throws InputError when it serves no such image.
  std::function<Pipeline(const io::ImageInfo&, const deck::Deck&)> build = {};
  /// Instead of it, of a program that reads no image: the pipeline that a deck asks for. Throws InputError.
  std::function<Pipeline(const deck::Deck&)> generate = {};
};

/// Its main(): options, deck, files, plan, progress, timing. Returns the exit status. `build` is how the
/// caller is compiled, which --version and the start of a run tell.
int run_pipeline_application(int argc, char** argv, const PipelineApplication& application,
                             const ProgramBuild& build = this_program);

}  // namespace tessera::app
