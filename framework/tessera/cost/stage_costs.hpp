// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tessera::cost {

/// The cost of computing one point of a stage.
struct StageCost {
  /// The seconds that one thread takes for a point. 0 means that they are not known.
  double seconds_per_point = 0;
  /// The operations of float that a point takes. They count only if the seconds are not known. 0 means that
  /// they are not known either.
  double operations_per_point = 0;
};

/// The costs of stages, by the names of the stages.
struct StageCosts {
  /// The costs of those stages whose costs are known. Those of a stage hold for every point that a step
  /// computes whose last stage this is. This includes the points of other stages in its tiles, unless the
  /// other stage has a cost of its own.
  std::map<std::string, StageCost, std::less<>> stages = {};
};

/// Reads the costs of stages from the JSON report of a run. A cost is the time of all threads of all ranks
/// for the steps that compute the stage, divided by the points of these steps. Throws InputError if the text
/// is not such a report, or if no step of it has computed points. The message says what is wrong, and the
/// caller adds where.
StageCosts stage_costs_from_report(std::string_view text);

}  // namespace tessera::cost
