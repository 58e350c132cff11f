// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tessera/app/detail/checkpoint_folder.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/app/detail/version.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/pipeline/algorithm/carried_arrays.hpp"

namespace tessera::app {
namespace {

/// Returns the paths of the checkpoints from which the run may go on. If `path` is a folder, these are the
/// checkpoints in the folder, the newest first. Otherwise the result is `path` alone. Collective.
std::vector<std::string> candidates(const CheckpointedRun& run, const std::string& path) {
  std::vector<std::string> paths;
  if (run.session.rank() == 0) {
    std::error_code ignored;
    paths = std::filesystem::is_directory(path, ignored) ? CheckpointFolder(path, run.program).files()
                                                         : std::vector{path};
  }
  broadcast(run.session.communicator(), paths);
  return paths;
}

/// A source that reads one array from a checkpoint.
class CheckpointSource final : public BlockSource {
 public:
  CheckpointSource(io::CheckpointReader& reader, std::string name)
      : reader_(reader), name_(std::move(name)) {}
  void read(const HostBlock& block) override { reader_.read(name_, block); }

 private:
  io::CheckpointReader& reader_;
  std::string name_;
};

std::string described(const io::FileArray& array) {
  return fmt::format("'{}' {} of {}", array.name, to_string(array.domain), name_of(array.type));
}

}  // namespace

CheckpointedRun CheckpointedRun::of(Session& session, const PipelineApplication& application,
                                    const deck::Deck& deck, const Algorithm& pipeline, const Plan& plan) {
  CheckpointedRun run{session, deck, application.program, problem_text(application, deck), {}};
  for (const LoopDeclaration& loop : pipeline.loops()) {
    CheckpointedLoop described{.name = loop.name,
                               .maximum = loop.maximum,
                               .has_condition = loop.condition >= 0,
                               .is_inner = pipeline.is_inner(loop),
                               .array_ids = carried_arrays(pipeline, loop)};
    for (const int id : described.array_ids)
      described.arrays.push_back(
          {pipeline[id].name, pipeline[id].type, plan.stages[static_cast<std::size_t>(id)].domain});
    run.loops.push_back(described);
  }
  return run;
}

std::unique_ptr<Restart> Restart::find(const CheckpointedRun& run, const CheckpointSettings& settings,
                                       Progress& progress) {
  if (settings.restart.empty()) return nullptr;
  const std::vector<std::string> paths = candidates(run, settings.restart);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::unique_ptr<io::CheckpointReader> reader;
    try {
      reader = std::make_unique<io::CheckpointReader>(run.session.communicator(), paths[i]);
      reader->verify();
    } catch (const InputError& error) {
      if (i + 1 == paths.size()) throw;
      if (run.session.rank() == 0)
        fmt::print(stderr, "{}: warning: {}: the one before it is taken\n", run.program, error.what());
      continue;
    }
    std::unique_ptr<Restart> restart(new Restart(run, std::move(reader)));
    const io::CheckpointNotes& notes = restart->reader_->notes();
    progress.line(fmt::format("restart {}: after {} of '{}'{}", paths[i], counted(notes.turns, "turn"),
                              notes.loop,
                              notes.version == version() ? "" : ", written by version " + notes.version));
    return restart;
  }
  progress.line(fmt::format("restart {}: no checkpoint yet, from the beginning", settings.restart));
  return nullptr;
}

Restart::Restart(const CheckpointedRun& run, std::unique_ptr<io::CheckpointReader> reader)
    : reader_(std::move(reader)) {
  check(run);
  array_ids_ = run.loops[static_cast<std::size_t>(loop_)].array_ids;
}

void Restart::fail(const std::string& message) const {
  throw InputError(fmt::format("restart: {}: {}", path(), message));
}

void Restart::check(const CheckpointedRun& run) {
  const io::CheckpointNotes& notes = reader_->notes();
  if (notes.program != run.program)
    fail(fmt::format("was written by {}: give one of {}", notes.program, run.program));
  check_same_problem(path(), notes.problem, run.problem);
  const std::vector<CheckpointedLoop>& loops = run.loops;
  const auto loop = std::ranges::find(loops, notes.loop, &CheckpointedLoop::name);
  if (loop == loops.end() || loop->is_inner)
    fail(fmt::format("is of the loop '{}', which this pipeline lacks: give one of the same problem",
                     notes.loop));
  loop_ = static_cast<int>(loop - loops.begin());
  arrays_ = loop->arrays;
  check_arrays(arrays_);
  if (notes.turns >= loop->maximum)
    fail(fmt::format("{} of the loop '{}' have ended, and the deck allows {}: allow more turns",
                     counted(notes.turns, "turn"), notes.loop, loop->maximum));
}

void Restart::check_arrays(const std::vector<io::FileArray>& expected) const {
  const std::vector<io::FileArray>& found = reader_->arrays();
  for (const io::FileArray& array : expected) {
    const auto same = std::ranges::find(found, array.name, &io::FileArray::name);
    if (same == found.end() || same->type != array.type || !(same->domain == array.domain))
      fail(fmt::format("holds {}, but the loop carries {}: give one of the same problem",
                       same == found.end() ? fmt::format("no '{}'", array.name) : described(*same),
                       described(array)));
  }
}

void Restart::load(const LoadArray& load) {
  for (std::size_t i = 0; i < array_ids_.size(); ++i) {
    CheckpointSource source(*reader_, arrays_[i].name);
    load(array_ids_[i], source);
  }
}

}  // namespace tessera::app
