// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/options.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera::app {

/// A pipeline with the schedule that a deck asks for. Its loops have the rounds of turns of that schedule.
struct AskedPipeline {
  /// The deck with the keys of the stages and loops of the pipeline.
  deck::Deck deck;
  std::unique_ptr<Algorithm> pipeline = nullptr;
  Schedule schedule = {};
  /// The name of the output that is the result; empty if there is none.
  std::string result_name = {};
  /// The names of the outputs of one element, which a run prints and reports.
  std::vector<std::string> numbers = {};

  /// Returns the array of the result, or null if there is none, which is possible if the deck names no file
  /// for the result and the application allows this. There must be a pipeline, and it must be the whole one.
  const ArrayDeclaration* result() const;
};

/// Returns the pipeline of an application for the image `image`, or for no image if `image` is null.
/// `different` are the further images that may differ from this image (see ImageInputs::different). Throws
/// InputError when the application does not accept the image or the deck, or when the schedule is faulty.
AskedPipeline asked_pipeline(const PipelineApplication& application, const deck::Deck& deck,
                             const io::ImageInfo* image,
                             const std::map<std::string, io::ImageInfo>& different = {});

/// Returns the pipeline of one part of an application in a series, for the image `image`, and the name of the
/// result of the whole. Its schedule has those keys of the deck that are about its stages. The output of the
/// part is stored, so `distributed` is its only placement. Throws InputError as asked_pipeline does.
AskedPipeline asked_part(const PipelineApplication& application, const PipelinePart& part,
                         const deck::Deck& deck, const io::ImageInfo& image);

/// Returns what `task` returns. If `task` throws a ScheduleError, throws an InputError that names the faulty
/// key of `deck` instead.
template <class Task>
auto blame_deck(const deck::Deck& deck, const Task& task) {
  try {
    return task();
  } catch (const ScheduleError& error) {
    deck.fail(key_without_turn(error.key), error.what());
  }
}

/// A program with a pipeline that has read its options and its deck, and is about to run.
struct PipelineJob : Launch {
  const PipelineApplication& application;
  const deck::Deck& deck;
};

/// The description of a run on one rank: the options, the deck, the input files, and the pipeline with the
/// schedule that the deck asks for. All arguments of the constructor must outlive the RunSetup.
struct RunSetup : Launch, AskedPipeline {
  /// Reads the headers of the input files and makes the pipeline. `deck` takes the place of the deck of
  /// `job`. If `given` is not null, it is the image `input`. Collective. Throws InputError when the files,
  /// the pipeline or the schedule are faulty.
  RunSetup(const PipelineJob& job, const deck::Deck& deck, const GivenImage* given = nullptr);

  /// The paths of all files that the run reads: decks and input images.
  std::vector<std::string> read_files() const;

  const PipelineApplication& application;
  ImageInputs inputs;

 private:
  void check_extents(const char* what, const Box& domain) const;
};

}  // namespace tessera::app
