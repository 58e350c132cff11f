// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/job_application.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::app {

/// The end of a turn of an iteration. All ranks return the same.
struct IterationTurn {
  /// The residual, which says how far the iteration is from its end. The run ends with the status `diverged`
  /// if it is not finite.
  double residual = 0;
  /// Whether there is no further turn.
  bool has_converged = false;
};

/// Runs the turns of a program, and tells it how far they are.
class IterationRunner : public JobRunner {
 public:
  using JobRunner::JobRunner;
  /// The number of turns that have ended, including those of an earlier run.
  virtual std::int64_t turns() const = 0;
  /// The residual of the last turn.
  virtual double residual() const = 0;
};

/// A program that repeats turns until data or the deck end them. The state that it carries from turn to turn
/// is held by arrays, so that checkpoints can hold it. All calls but files(), work(), problem() and arrays()
/// are collective, and are made in the order of their declarations. They may throw InputError, on all
/// ranks together.
class IterationProgram : public JobProgram {
 public:
  /// Returns lines "name: value" about the input, from the headers of files alone, that must be the same when
  /// a run goes on from a checkpoint.
  virtual std::string problem() const { return {}; }
  /// Creates the files of the results under temporary names, before the input is read, so that one that
  /// cannot be written is noticed at once. --check does so, too, and drops them.
  virtual void create_results() {}
  /// Reads the input. Kokkos has been started.
  virtual void prepare(IterationRunner& runner) = 0;
  /// Returns lines that say what each rank computes and sends.
  virtual std::string explain() = 0;
  /// Returns the names, types and domains of the arrays that are carried from turn to turn. Before the input
  /// has been read, it returns none if it does not know them.
  virtual std::vector<io::FileArray> arrays() const = 0;
  /// Fills this rank's part of array number `array` with points from `source`, in place of the values with
  /// which the iteration begins.
  virtual void load(int array, BlockSource& source) = 0;
  /// Passes this rank's part of array number `array` to `sink`.
  virtual void store(int array, BlockSink& sink) = 0;
  /// Begins the turns. The arrays have their first values, or those that were loaded.
  virtual void begin() = 0;
  /// Computes a turn.
  virtual IterationTurn turn() = 0;
  /// Writes the results.
  virtual void end(IterationRunner& runner) = 0;
};

/// A description of a program that iterates.
struct IterationApplication {
  /// The name of the program.
  std::string program;
  /// A sentence that says what the program does, for --help.
  std::string summary;
  /// The declarations of the program's own keys. Those that begin with `output.` do not change what is
  /// computed. All such programs also have those of checkpoints, and `memory`, which they must keep to.
  std::vector<deck::KeyDeclaration> keys = {};
  /// The name of the loop, for progress lines, reports and checkpoints.
  std::string loop;
  /// The name of the residual.
  std::string residual;
  /// The name of the key with the greatest number of turns, which must have a default.
  std::string turns_key = "turns";
  /// The names of those other keys that only say when the turns end, and may change at a restart.
  std::vector<std::string> turn_limits = {};
  /// A function that makes the program. Collective. It may throw InputError, on all ranks together.
  std::function<std::unique_ptr<IterationProgram>(const JobSetting&)> make = {};
};

/// Runs an application: reads options and deck, makes the program, and checks, estimates, explains or runs
/// it, with progress, checkpoints and reports. `build` says how the program is compiled. Returns the exit
/// status, which main() should return.
int run_iteration_application(int argc, char** argv, const IterationApplication& application,
                              const ProgramBuild& build = this_program);

}  // namespace tessera::app
