// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::app {

/// Describes a run for people. The descriptions are printed when the run starts, and are stored in the
/// report and in the attributes of the files that the run writes. All objects that a RunDescription refers
/// to must outlive it.
struct RunDescription {
  Session& session;
  const PipelineApplication& application;
  const ProgramBuild& build;
  const deck::Deck& deck;
  const ImageInputs& inputs;
  const Algorithm& pipeline;
  /// The name of the result.
  const std::string& result_name;
  const Plan& plan;

  /// Returns lines of text about the program, the places where its ranks run and the memory that the ranks
  /// need. If `verbose` is true, the lines also name each rank and the libraries. The text does not end with
  /// a line feed. On ranks other than 0 it is empty. Collective.
  std::string start_text(bool verbose) const;

  /// Adds the section `run`, which includes the deck, and the costs of the steps to `report`. Collective.
  void add(Report& report, const StepRecorder& recorder) const;

  /// Adds only the section `run`. Collective.
  void add_section(Report& report) const;

  /// Returns attributes that describe the run, for the files that it writes. The attributes are the same on
  /// all ranks. The attribute `steps` has the times of those steps that have ended before this call.
  /// Collective.
  std::vector<io::FileAttribute> attributes(const StepRecorder& recorder) const;

 private:
  std::string first_line() const;
  /// Returns lines about the grids over which arrays are distributed, and about bands if there are several.
  std::string layout_text() const;
  const ArrayDeclaration& result() const { return pipeline[pipeline.find(result_name)]; }
  /// The declaration of the input image, or of the result if the program reads no image.
  const ArrayDeclaration& data() const {
    return inputs.image() == nullptr ? result() : pipeline[pipeline.find("input")];
  }
};

}  // namespace tessera::app
