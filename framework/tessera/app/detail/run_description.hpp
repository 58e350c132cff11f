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

/// Describes a run for people: in the lines at its start, in its report and in the attributes of its files.
/// All that it refers to must outlive it.
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

  /// Returns lines about the program, the places where its ranks run and the memory that they need, on rank
  /// 0; on other ranks the text is empty. If `verbose` is true they name each rank and the libraries. The
  /// text does not end with a line feed. Collective.
  std::string start_text(bool verbose) const;

  /// Adds the section `run`, which includes the deck, and the costs of the steps. Collective.
  void add(Report& report, const StepRecorder& recorder) const;

  /// Returns the attributes for files, which are the same on all ranks. Their times are those of the steps
  /// that have ended by now. Collective.
  std::vector<io::FileAttribute> attributes(const StepRecorder& recorder) const;

 private:
  std::string first_line() const;
  /// Returns lines about the grids over which arrays are distributed, and about bands if there are several.
  std::string layout_text() const;
  const ArrayDeclaration& result() const { return pipeline[pipeline.find(application.output)]; }
  /// The input, or the result of a program that reads none.
  const ArrayDeclaration& data() const {
    return inputs.image() == nullptr ? result() : pipeline[pipeline.find("input")];
  }
};

}  // namespace tessera::app
