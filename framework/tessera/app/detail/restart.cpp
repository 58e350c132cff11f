// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/algorithm/loops.hpp"

namespace tessera::app {
namespace {

/// Returns the names of the files in a folder, or no names if the folder cannot be read.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  return names;
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::string path, std::string program)
    : path_(std::move(path)), program_(std::move(program)) {}

std::int64_t CheckpointFolder::number_of(const std::string& name) const {
  const std::string begin = program_ + "-";
  if (!name.starts_with(begin)) return 0;
  std::int64_t number = 0;
  std::from_chars(name.data() + begin.size(), name.data() + name.size(), number);
  return number > 0 && name == name_of(number) ? number : 0;
}

std::string CheckpointFolder::name_of(std::int64_t number) const {
  return fmt::format("{}-{:08}.h5", program_, number);
}

std::vector<std::string> CheckpointFolder::files() const {
  std::vector<std::int64_t> numbers;
  for (const std::string& name : names_in(path_))
    if (const std::int64_t number = number_of(name); number > 0) numbers.push_back(number);
  std::ranges::sort(numbers, std::greater());
  std::vector<std::string> files;
  for (const std::int64_t number : numbers) files.push_back(file(number));
  return files;
}

std::int64_t CheckpointFolder::last_number() const {
  std::int64_t last = 0;
  for (const std::string& name : names_in(path_)) last = std::max(last, number_of(name));
  return last;
}

std::string CheckpointFolder::file(std::int64_t number) const {
  return (std::filesystem::path(path_) / name_of(number)).string();
}

void CheckpointFolder::remove_all_but(const std::vector<std::string>& kept) const {
  const std::string unfinished = fmt::format(".{}-", program_);
  for (const std::string& name : names_in(path_)) {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    const bool is_kept = std::ranges::any_of(
        kept, [&](const std::string& one) { return place_of(one) == place_of(file.string()); });
    const bool is_left = name.starts_with(unfinished) && name.find(".h5.part-") != std::string::npos;
    std::error_code ignored;
    if (is_left || (number_of(name) > 0 && !is_kept)) std::filesystem::remove(file, ignored);
  }
}

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
