// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

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

}  // namespace tessera::app
