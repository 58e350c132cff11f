// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/step_recorder.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::app {

/// What a run is, for people: the lines at its start, the first part of its report, the attributes of its
/// files. Refers to all that it is given.
struct RunDescription {
  Session& session;
  const PipelineApplication& application;
  const ProgramBuild& build;
  const deck::Deck& deck;
  const ImageInputs& inputs;
  const Algorithm& pipeline;
  const Plan& plan;
  /// The file that the plan comes from; empty: it follows the deck.
  const std::string& plan_file;

  /// Lines about the program, where its ranks run, and what they need; `verbose` tells of each rank, and of
  /// the libraries. For rank 0; without a line feed at the end. Collective.
  std::string start_text(bool verbose) const;

  /// Adds the run, what its steps cost, and the deck. Collective.
  void add(Report& report, const StepRecorder& recorder) const;

  /// The same on every rank; times as far as they are known by now. Collective.
  std::vector<io::FileAttribute> attributes(const StepRecorder& recorder) const;

 private:
  std::string first_line() const;
  /// How the ranks share the points out, and the bands, if there are several.
  std::string layout_text() const;
  const ArrayDeclaration& result() const { return pipeline[pipeline.find(application.output)]; }
  /// The input, or the result of a program that reads none.
  const ArrayDeclaration& data() const {
    return inputs.image() == nullptr ? result() : pipeline[pipeline.find("input")];
  }
};

}  // namespace tessera::app
