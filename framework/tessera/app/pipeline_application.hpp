// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"
#include "tessera/group/program.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::app {

/// An image that a program may read in addition to its input image. A deck names it by the keys
/// `<name>.file`, `<name>.dataset`, `<name>.page` and the block `<name>.raw`. If it names the file, the
/// pipeline must have an input of this name.
struct FurtherImage {
  /// The name of the input of the pipeline, and of the block of keys in the deck.
  std::string name;
  /// A description of the image for --help.
  std::string help;
  /// Whether every deck must name the file.
  bool required = false;
  /// The block of keys in the deck, if it is not called like the input.
  std::string block = {};
  /// The key that names the file, if it is not `<block>.file`.
  std::string key = {};
  /// Whether the image may have an element type and a domain of its own (see
  /// PipelineApplication::build_with), and not those of the input image. In a series, such an image is read
  /// once. Others are refused in a series, and so is every further image of a program that has parts.
  bool may_differ = false;
  /// A function that reads elements of the image, on rank 0 only and before the pipeline is made, and throws
  /// InputError if the program does not accept them.
  std::function<void(const deck::Deck&, const io::ImageInfo&, BlockSource&)> check = {};

  /// Returns the name of the block of keys in the deck.
  const std::string& keys() const { return block.empty() ? name : block; }
  /// Returns the key that names the file.
  std::string file_key() const { return key.empty() ? keys() + ".file" : key; }
};

/// A list of images that a program reads in addition to its input image, whose files a deck names by one key.
/// The keys of the input image describe them, too, and they must have its element type and domain. In a
/// series each entry of the key is a pattern, whose files belong to the images of the series one by one. A
/// program with such a list and with parts takes no series.
struct ImageList {
  /// The key of the list of files. Every deck must give it.
  std::string key;
  /// A description of the images for --help.
  std::string help;
  /// The beginning of the names of the inputs of the pipeline: `match` if they are `match_1`, `match_2`, ...
  std::string prefix;
  /// The greatest number of images.
  int most = 1;
  /// Whether a series may leave the key out. The only image of the list is then, for each image of the
  /// series, the one that follows it. Programs take videos, too, if this holds for all of their lists.
  bool may_follow = false;

  /// Returns the name of the input of the pipeline for the file number `place` of the list, from 0 on.
  std::string input(std::size_t place) const { return prefix + "_" + std::to_string(place + 1); }
};

/// An option of the command line that makes a program print something, and not run.
struct ProgramOption {
  /// The name, such as `--operators`.
  std::string name;
  /// A description for --help.
  std::string help;
  /// The name of the value of the option in --help, such as `FILE`.
  std::string value_name;
  /// Whether the option must have a value. Otherwise decks and words key=value are no values of the option.
  bool needs_value = false;
  /// A function that returns what is printed, on rank 0 only, from the value of the option, which may be
  /// empty, and the keys `first_parameters` of the deck.
  std::function<std::string(const std::string&, const deck::Deck&)> text;
};

/// A part of the pipeline of a program in a series of images: a task of its own, so that it may run while
/// another part of the next image does. All parts together compute what the whole
/// pipeline does, bit by bit.
struct PipelinePart {
  /// The name of the task, which the keys `graph.<task>.workers` and `graph.<task>.on` name.
  std::string task;
  /// The name of the output of the part. Later parts may read it as an input of this name.
  std::string output;
  /// A function that returns the pipeline of the part for an image and a deck. Its inputs are `input`, which
  /// is the image, and outputs of earlier parts, with the domains and types that they have there. It has the
  /// output `output` and no other. It may throw InputError.
  std::function<Pipeline(const io::ImageInfo&, const deck::Deck&)> build;
};

/// A description of a program that processes one image, which is the input `input` of its pipeline, or that
/// computes an image without reading one. The pipeline has one output that is an image, and any number of
/// outputs of one element.
struct PipelineApplication {
  /// The name of the program.
  std::string program;
  /// A sentence that says what the program does, for --help.
  std::string summary;
  /// The name of the result, if the pipeline has several outputs that are images. Otherwise it is the output
  /// that is an image, and neither `picture` nor named by the key `output.stages`.
  std::string result = {};
  /// The names of the stages and global reductions that an HDF5 file holds, too, if the deck does not say
  /// which ones.
  std::vector<std::string> written_stages = {};
  /// Whether a deck may leave out the file of the output. If a deck names no such file, the pipeline need not
  /// have the output.
  bool output_is_optional = false;
  /// A function that compares the outputs of one element, by their names, with the demands of the deck, on
  /// rank 0 only. It returns one line that says which demands are not met, with which the run ends with exit
  /// status 1, or an empty text.
  std::function<std::string(const std::map<std::string, double>&, const deck::Deck&)> verdict = {};
  /// The key that names the file of the input image. In a series `input.files` is in its place.
  std::string input_key = "input.file";
  /// The images that the program may read in addition to its input image.
  std::vector<FurtherImage> further_images = {};
  /// The lists of images that the program reads in addition.
  std::vector<ImageList> image_lists = {};
  /// Whether the third dimension of the result is the channel, and not z, in programs that read no image.
  bool generates_images = false;
  /// Whether the result is an array (x, y) of uint8 of cells of the Game of Life, which may be written as
  /// RLE.
  bool writes_patterns = false;
  /// Whether the result is an optical flow, float32 with the channels u and v, which may be written as FLO.
  bool writes_flows = false;
  /// The name of a further output, an image that is written instead of the result by `output.png`, and by a
  /// series of PNG files or a video. The pipeline must have the output where writes_picture says so.
  std::string picture = {};
  /// Whether the images `input` and those of lists must not hold NaN or infinities. Images of floating-point
  /// type are then read and looked at before the pipeline is made; those of a series when they are read.
  bool needs_finite_images = false;
  /// Whether a loop may well end by its greatest number of turns. Otherwise a run ends with exit status 3 if
  /// it has a loop whose condition does not hold at the end.
  bool may_end_by_turns = false;
  /// The declarations of the program's own keys. `build` or `generate` gets their values from the deck.
  std::vector<deck::KeyDeclaration> parameters = {};
  /// The declarations of those of the program's own keys that are read before all others, and are known to
  /// `complete`. Programs without it have none.
  std::vector<deck::KeyDeclaration> first_parameters = {};
  /// A function for programs whose further images are only known from the deck. It gets this description and
  /// the keys `first_parameters`, and returns the whole description. It may throw InputError. Such a deck
  /// also says which stages are outputs. What it says about the schedule of a stage has no effect where it is
  /// one.
  std::function<PipelineApplication(PipelineApplication, const deck::Deck&)> complete = {};
  /// Options of the command line that only this program has.
  std::vector<ProgramOption> options = {};
  /// The default of `schedule.<stage>.compute`: `distributed` or `auto`.
  std::string default_compute = "distributed";
  /// A function that returns the stages of a pipeline that belong to another stage, by their names, with the
  /// name of the other stage. Keys of the schedule that a deck gives for the other stage, but not for the
  /// stage, apply to the stage, too.
  std::function<std::map<std::string, std::string>(const Algorithm&)> stages_within = {};
  /// A function that returns further pipelines, such as those for images of other sizes. A deck may schedule
  /// their stages and loops, too, which has no effect on a pipeline that does not have them.
  std::function<std::vector<Pipeline>(const io::ImageInfo&, const deck::Deck&)> samples = {};
  /// Whether `build` reads keys of the schedule. It is then called twice: when the names of the stages and
  /// loops are not known yet, and the deck has no such keys; and with all keys of the deck.
  bool reads_schedule = false;
  /// The names of those parameters that only limit the number of turns of loops, and may change at a restart.
  std::vector<std::string> turn_limits = {};
  /// A function that returns the pipeline for an image and a deck, in a program that reads an image. It may
  /// throw InputError.
  std::function<Pipeline(const io::ImageInfo&, const deck::Deck&)> build = {};
  /// A function that is called instead of `build` if the deck names further images that may differ (see
  /// FurtherImage::may_differ), and gets their descriptions by name.
  std::function<Pipeline(const io::ImageInfo&, const std::map<std::string, io::ImageInfo>&,
                         const deck::Deck&)>
      build_with = {};
  /// The parts of the pipeline in a series of images, in their order. The first part must
  /// read `input`, and the output of the last part is the result. If the list is empty, the whole pipeline is
  /// one task, which is called like the program.
  std::vector<PipelinePart> parts = {};
  /// A function that returns the tasks into which the pipeline is divided where a deck asks for groups of
  /// ranks, but names no tasks of its own (see group::cut). Programs without such tasks leave this member
  /// empty.
  std::function<std::vector<group::TaskStages>(const deck::Deck&)> tasks = {};
  /// A function that returns the pipeline for a deck, in a program that reads no image. It may throw
  /// InputError.
  std::function<Pipeline(const deck::Deck&)> generate = {};
};

/// Runs a pipeline application: reads options and deck, opens the files, makes the plan, executes it, and
/// prints progress and timing. `build` says how the program is compiled. Returns what main() should return.
int run_pipeline_application(int argc, char** argv, const PipelineApplication& application,
                             const ProgramBuild& build = this_program);

}  // namespace tessera::app
