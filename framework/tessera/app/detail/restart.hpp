// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/checkpoint_settings.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/session.hpp"
#include "tessera/io/checkpoint_file.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

/// A folder with the checkpoints of one program. The file name of a checkpoint consists of the name of the
/// program and a number, as in `<program>-00000012.h5`. No call is collective.
class CheckpointFolder {
 public:
  /// Makes an object for the checkpoints of `program` in the folder `path`, which need not exist.
  CheckpointFolder(std::string path, std::string program);

  const std::string& path() const { return path_; }
  /// Returns the paths of the complete checkpoints, the newest first. The result is empty if the folder does
  /// not exist.
  std::vector<std::string> files() const;
  /// Returns the number of the newest checkpoint, or 0 if there is no checkpoint.
  std::int64_t last_number() const;
  /// Returns the path of the checkpoint with this number.
  std::string file(std::int64_t number) const;
  /// Removes all checkpoints of this program except those whose paths are in `kept`. Also removes unfinished
  /// checkpoints, which are left when a run is killed while it writes.
  void remove_all_but(const std::vector<std::string>& kept) const;

 private:
  /// Returns the number of the checkpoint whose file name is `name`, or 0 if `name` is not the file name of a
  /// checkpoint of this program.
  std::int64_t number_of(const std::string& name) const;
  std::string name_of(std::int64_t number) const;

  std::string path_;
  std::string program_;
};

/// A loop whose state checkpoints may hold.
struct CheckpointedLoop {
  /// The name of the loop.
  std::string name;
  /// The greatest number of turns.
  std::int64_t maximum = 1;
  /// Whether data end the loop, and not only the number of its turns.
  bool has_condition = false;
  /// Whether the loop is inside another loop. Checkpoints do not hold the state of such a loop.
  bool is_inner = false;
  /// The ids of the arrays that the loop carries from turn to turn.
  std::vector<int> array_ids = {};
  /// The names, types and domains of these arrays, in the same order.
  std::vector<io::FileArray> arrays = {};
};

/// The parts of a run with loops that its checkpoints need. The session and the deck must outlive it.
struct CheckpointedRun {
  Session& session;
  const deck::Deck& deck;
  /// The name of the program.
  std::string program;
  /// The text that identifies the problem that the run computes (see problem_text).
  std::string problem;
  /// The loops of the run, in their order.
  std::vector<CheckpointedLoop> loops;

  /// Returns the description of a run of `plan`, with the loops of the pipeline.
  static CheckpointedRun of(Session& session, const PipelineApplication& application, const deck::Deck& deck,
                            const Algorithm& pipeline, const Plan& plan);
};

/// The checkpoint from which a run goes on. find(), residuals() and load() are collective.
class Restart {
 public:
  /// Opens the checkpoint that `settings.restart` names. If this is the name of a folder, opens the newest
  /// checkpoint in the folder that is not damaged. Returns null if `settings.restart` is empty or if the
  /// folder has no checkpoint. Throws InputError when the checkpoint, or every checkpoint in the folder, is
  /// damaged. Also throws InputError when `run` cannot go on from the checkpoint, for example because the
  /// checkpoint is from another program.
  static std::unique_ptr<Restart> find(const CheckpointedRun& run, const CheckpointSettings& settings,
                                       Progress& progress);

  /// The path of the file of the checkpoint.
  const std::string& path() const { return reader_->path(); }
  /// The number of the loop, in the run, that the checkpoint belongs to.
  int loop() const { return loop_; }
  /// The number of turns of the loop that had ended when the checkpoint was written.
  std::int64_t turns() const { return reader_->notes().turns; }
  /// Reads and returns the residuals of the turns that had ended, on every rank. The list may be empty.
  std::vector<double> residuals() { return reader_->residuals(); }
  /// Calls `load` for each array that the loop carries, with the points of the checkpoint.
  void load(const LoadArray& load);

 private:
  Restart(const CheckpointedRun& run, std::unique_ptr<io::CheckpointReader> reader);

  void check(const CheckpointedRun& run);
  void check_arrays(const std::vector<io::FileArray>& expected) const;
  [[noreturn]] void fail(const std::string& message) const;

  std::unique_ptr<io::CheckpointReader> reader_;
  int loop_ = -1;
  std::vector<int> array_ids_;
  /// The names, types and domains of the arrays that the loop carries, in the order of `array_ids_`.
  std::vector<io::FileArray> arrays_;
};

}  // namespace tessera::app
