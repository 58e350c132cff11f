// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera::app {

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

}  // namespace tessera::app
