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

/// An image that a program may read besides its input. It must have the element type and the domain of the
/// input. A deck names its file with the keys `<name>.file`, `<name>.dataset`, `<name>.page` and the block
/// `<name>.raw`; if it does, the pipeline must have an input of this name.
struct FurtherImage {
  /// The name of the input, and the first part of the deck's keys.
  std::string name;
  /// A description of the image for --help.
  std::string help;
  /// Whether every deck must name the file.
  bool required = false;
};

/// A description of a program that sends one image through a pipeline whose input is called `input`, or that
/// computes an image from its deck alone. The pipeline has one output that is an image, and any number of
/// outputs of one element.
struct PipelineApplication {
  /// The name of the program.
  std::string program;
  /// A sentence that says what the program does, for --help.
  std::string summary;
  /// The names of all intermediate stages, in order, which a deck may schedule. `with_names_of` takes these
  /// and the names below from a pipeline, which is safer than writing them out. If they are written out, a
  /// run ends with an error when its pipeline lacks one of them.
  std::vector<std::string> stages = {};
  /// The names of the global reductions.
  std::vector<std::string> reductions = {};
  /// The names of the stages and reductions whose arrays may be written beside the output; see
  /// writable_stages.
  std::vector<std::string> writable_stages = {};
  /// The names of the loops, of which a deck may schedule the turns.
  std::vector<std::string> loops = {};
  /// The name of the output that is an image.
  std::string output = {};
  /// Whether a deck may name no file for the output. Its pipeline need not have the output then.
  bool output_is_optional = false;
  /// Whether the names come from sample pipelines that have all stages there may be, as `with_names_of` sets
  /// it. The pipeline of a deck need not have all of them then, and what the deck says about missing ones is
  /// ignored.
  bool has_names_of_samples = false;
  /// The names of the outputs of one element, which a run prints and reports. The pipeline of a deck need not
  /// have all of them.
  std::vector<std::string> numbers = {};
  /// Judges the numbers of a run, given by name: returns one line that says in what they miss the deck's
  /// demands, or an empty text when they meet them. A run that misses them ends with status 1. It is called
  /// on rank 0 only.
  std::function<std::string(const std::map<std::string, double>&, const deck::Deck&)> verdict = {};
  /// The images that the program may read besides its input.
  std::vector<FurtherImage> further_images = {};
  /// Whether the third dimension of the result is channels, for a program that reads no image.
  bool generates_images = false;
  /// Whether the result is cells of uint8 in (x, y), which may also be written as an RLE pattern.
  bool writes_patterns = false;
  /// The program's own keys, which `build` or `generate` finds in the deck.
  std::vector<deck::KeyDeclaration> parameters = {};
  /// The names of those parameters that only limit the turns of loops. Their values may differ when a run
  /// restarts from a checkpoint.
  std::vector<std::string> turn_limits = {};
  /// Returns the pipeline for an image of this type and size. It may throw InputError for an image or a deck
  /// that it does not accept. Programs that read no image leave it empty.
  std::function<Pipeline(const io::ImageInfo&, const deck::Deck&)> build = {};
  /// Returns the pipeline that a deck asks for, in a program that reads no image and has no `build`. It may
  /// throw InputError.
  std::function<Pipeline(const deck::Deck&)> generate = {};
};

/// The main() of a pipeline application: reads options and deck, opens the files, makes the plan, runs it and
/// prints progress and timing. Returns the exit status. `build` says how the caller is compiled, which
/// --version and the first lines of a run print.
int run_pipeline_application(int argc, char** argv, const PipelineApplication& application,
                             const ProgramBuild& build = this_program);

}  // namespace tessera::app
