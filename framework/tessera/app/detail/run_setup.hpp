// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera::app {

/// All that describes a run on one rank: its options and deck, its input files, and the pipeline with the
/// schedule that the deck asks for. All that it is given must outlive it.
struct RunSetup {
  /// Reads the headers of the input files and makes the pipeline. Collective. Throws InputError for all that
  /// is wrong with the files, the pipeline or the schedule.
  RunSetup(Session& session, const PipelineApplication& application, const ProgramBuild& build,
           const Options& options, const deck::Deck& deck, const std::vector<std::string>& deck_files);

  /// The array that the run writes; null where the pipeline has none.
  const ArrayDeclaration* result() const;

  /// The bytes that each rank may use; 0: without limit.
  std::int64_t memory_limit() const;

  /// The files that the run reads besides its inputs.
  std::vector<std::string> deck_and_plan_files() const;
  /// All files that the run reads.
  std::vector<std::string> read_files() const;

  /// Runs a task, and turns its ScheduleErrors into InputErrors about the key of the deck.
  template <class Task>
  void blame_deck(const Task& task) const {
    try {
      task();
    } catch (const ScheduleError& error) {
      fail(error);
    }
  }

  Session& session;
  const PipelineApplication& application;
  const ProgramBuild& build;
  const Options& options;
  const deck::Deck& deck;
  /// The paths of the decks and of the files that they include.
  const std::vector<std::string>& deck_files;
  ImageInputs inputs;
  std::unique_ptr<Algorithm> pipeline;
  /// The schedule of `pipeline`, whose loops have the rounds of turns that the deck asks for.
  Schedule schedule;

 private:
  void make_pipeline();
  void check_extents(const char* what, const Box& domain) const;
  [[noreturn]] void fail(const ScheduleError& error) const;
};

}  // namespace tessera::app
