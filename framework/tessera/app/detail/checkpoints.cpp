// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <functional>
#include <sstream>
#include <system_error>
#include <utility>

#include "tessera/app/detail/launch.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// The assumed bandwidth and latency, which give the estimated time for the first checkpoint.
constexpr double assumed_bytes_per_second = 1e8;
constexpr double assumed_latency = 0.5;

std::int64_t bytes_of(const std::vector<io::FileArray>& arrays) {
  std::int64_t bytes = 0;
  for (const io::FileArray& array : arrays)
    bytes += array.domain.size() * static_cast<std::int64_t>(size_of(array.type));
  return bytes;
}

std::string described(const io::FileArray& array) {
  return fmt::format("'{}' {} of {}", array.name, to_string(array.domain), name_of(array.type));
}

class CheckpointSink final : public BlockSink {
 public:
  CheckpointSink(io::CheckpointWriter& writer, const io::FileArray& array) : writer_(writer), array_(array) {}
  void write(const HostBlock& block) override { writer_.write(array_, block); }

 private:
  io::CheckpointWriter& writer_;
  const io::FileArray& array_;
};

class CheckpointSource final : public BlockSource {
 public:
  CheckpointSource(io::CheckpointReader& reader, const std::string& name) : reader_(reader), name_(name) {}
  void read(const HostBlock& block) override { reader_.read(name_, block); }

 private:
  io::CheckpointReader& reader_;
  const std::string& name_;
};

/// Returns the names of the files in a folder, or no names if the folder cannot be read.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  return names;
}

std::string name_of_number(const std::string& program, std::int64_t number) {
  return fmt::format("{}-{:08}.h5", program, number);
}

std::string file_in(const std::string& folder, const std::string& program, std::int64_t number) {
  return (std::filesystem::path(folder) / name_of_number(program, number)).string();
}

/// Returns the number in the file name of a complete checkpoint of a program, or 0 for other files.
std::int64_t number_in(const std::string& program, const std::string& name) {
  const std::string begin = program + "-";
  if (!name.starts_with(begin)) return 0;
  std::int64_t number = 0;
  std::from_chars(name.data() + begin.size(), name.data() + name.size(), number);
  return number > 0 && name == name_of_number(program, number) ? number : 0;
}

/// Returns the numbers of the checkpoints of a program in a folder, the newest first.
std::vector<std::int64_t> numbers_in(const std::string& folder, const std::string& program) {
  std::vector<std::int64_t> numbers;
  for (const std::string& name : names_in(folder))
    if (const std::int64_t number = number_in(program, name); number > 0) numbers.push_back(number);
  std::ranges::sort(numbers, std::greater());
  return numbers;
}

/// Removes the checkpoints of a program except those whose paths are in `kept`. Also removes unfinished
/// checkpoints, which are left when a run is killed while it writes.
void remove_all_but(const std::string& folder, const std::string& program,
                    const std::vector<std::string>& kept) {
  const std::string unfinished = fmt::format(".{}-", program);
  for (const std::string& name : names_in(folder)) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    const bool is_kept = std::ranges::any_of(
        kept, [&](const std::string& one) { return place_of(one) == place_of(file.string()); });
    const bool is_left = name.starts_with(unfinished) && name.find(".h5.part-") != std::string::npos;
    std::error_code ignored;
    if (is_left || (number_in(program, name) > 0 && !is_kept)) std::filesystem::remove(file, ignored);
  }
}

/// Returns the paths of the checkpoints that the run may restart from. If `path` is a folder, these are the
/// checkpoints in the folder, the newest first. Otherwise the result is `path` alone. Collective.
std::vector<std::string> candidates(const CheckpointedRun& run, const std::string& path) {
  std::vector<std::string> paths;
  std::error_code ignored;
  if (run.session.rank() == 0 && !std::filesystem::is_directory(path, ignored))
    paths.push_back(path);
  else if (run.session.rank() == 0)
    for (const std::int64_t number : numbers_in(path, run.program))
      paths.push_back(file_in(path, run.program, number));
  return graph::broadcast(run.session.communicator(), paths);
}

/// Returns the line of a text, first in alphabetical order, that is not in `other`; an empty text if `other`
/// has all lines.
std::string missing_line(const std::string& text, const std::string& other) {
  std::string least;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (("\n" + other).find("\n" + line + "\n") == std::string::npos && (least.empty() || line < least))
      least = line;
  return least;
}

/// Throws InputError if the results of problem_text in the run that wrote `checkpoint`, `then`, and in this
/// run, `now`, differ in more than the order of their lines. The message shows a line that the other lacks.
void check_same_problem(const std::string& checkpoint, const std::string& then, const std::string& now) {
  const std::string before = missing_line(then, now), after = missing_line(now, then);
  if (before.empty() && after.empty()) return;
  throw InputError(fmt::format(
      "restart: {}: is of another problem: its run had '{}', this one has '{}'; give the same values, or "
      "begin anew without restart",
      checkpoint, before.empty() ? "(no such key)" : before, after.empty() ? "(no such key)" : after));
}

/// Returns the text of the problem of a program with a pipeline: its own keys and those of its inputs.
std::string problem_of_pipeline(const PipelineApplication& application, const deck::Deck& deck) {
  const auto is_part = [&](const std::string& name) {
    const auto has_name = [&](const deck::KeyDeclaration& key) { return key.name == name; };
    const auto has_block = [&](const FurtherImage& image) { return name.starts_with(image.keys() + "."); };
    return std::ranges::any_of(application.parameters, has_name) ||
           std::ranges::any_of(application.first_parameters, has_name) || name.starts_with("input.") ||
           std::ranges::any_of(application.further_images, has_block);
  };
  return problem_text(deck, is_part, application.turn_limits);
}

}  // namespace

CheckpointedRun CheckpointedRun::of(const RunSetup& setup, const Plan& plan) {
  const Algorithm& pipeline = *setup.pipeline;
  CheckpointedRun run{setup.session,
                      setup.deck,
                      setup.application.program,
                      problem_of_pipeline(setup.application, setup.deck),
                      {}};
  for (const LoopDeclaration& loop : pipeline.loops()) {
    CheckpointedLoop described{.is_inner = pipeline.is_inner(loop),
                               .array_ids = carried_arrays(pipeline, loop)};
    for (const ArrayId id : described.array_ids)
      described.arrays.push_back({pipeline[id].name, pipeline[id].type, plan.stages[id].domain});
    run.loops.push_back(described);
  }
  return run;
}

Checkpoints::Checkpoints(const CheckpointedRun& run, LoopRecorder& loops) : run_(run), loops_(loops) {
  const CheckpointSettings settings = checkpoint_settings(run.deck);
  directory_ = settings.directory;
  if (!directory_.empty()) check_folder(settings);
  if (!settings.restart.empty()) open_restart(settings.restart);
  if (!directory_.empty()) decisions_.emplace(run_.session, settings, estimated_write_seconds());
}

void Checkpoints::check_folder(const CheckpointSettings& settings) {
  const std::vector<std::int64_t> numbers = numbers_in(directory_, run_.program);
  std::int64_t last = numbers.empty() ? 0 : numbers.front();
  MPI_Bcast(&last, 1, MPI_INT64_T, 0, run_.session.communicator());
  next_number_ = last + 1;
  // This is a trial, which leaves no file.
  io::create_checkpoint(run_.session.communicator(), file_in(directory_, run_.program, next_number_));
  const std::filesystem::path restart(settings.restart);
  const bool goes_on = !settings.restart.empty() && (place_of(directory_) == place_of(settings.restart) ||
                                                     place_of(directory_) == place_of(restart).parent_path());
  if (last > 0 && !goes_on)
    run_.deck.fail("checkpoint.directory",
                   fmt::format("holds checkpoints of another run: give restart={}, remove them, or choose "
                               "another folder",
                               directory_));
}

void Checkpoints::open_restart(const std::string& path) {
  const std::vector<std::string> paths = candidates(run_, path);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    try {
      restart_ = std::make_unique<io::CheckpointReader>(run_.session.communicator(), paths[i]);
      restart_->verify();
    } catch (const InputError& error) {
      restart_.reset();
      if (i + 1 == paths.size()) throw;
      if (run_.session.rank() == 0)
        fmt::print(stderr, "{}: warning: {}: the checkpoint before it is taken\n", run_.program,
                   error.what());
      continue;
    }
    restart_loop_ = loop_of_restart();
    last_ = restart_->path();
    const io::CheckpointNotes& notes = restart_->notes();
    loops_.progress().line(
        fmt::format("restart {}: after {} of '{}'{}", last_, counted(notes.turns, "turn"), notes.loop,
                    notes.version == version() ? "" : ", written by version " + notes.version));
    return;
  }
  loops_.progress().line(fmt::format("restart {}: no checkpoint yet, from the beginning", path));
}

void Checkpoints::refuse(const std::string& message) const {
  throw InputError(fmt::format("restart: {}: {}", restart_->path(), message));
}

int Checkpoints::loop_of_restart() const {
  const io::CheckpointNotes& notes = restart_->notes();
  if (notes.program != run_.program)
    refuse(fmt::format("was written by {}: give one of {}", notes.program, run_.program));
  check_same_problem(restart_->path(), notes.problem, run_.problem);
  const std::vector<RecordedLoop>& loops = loops_.loops();
  const auto loop = std::ranges::find(loops, notes.loop, &RecordedLoop::name);
  const auto number = static_cast<int>(loop - loops.begin());
  if (loop == loops.end() || state_of(number).is_inner)
    refuse(fmt::format("is of the loop '{}', which this pipeline lacks: give one of the same problem",
                       notes.loop));
  check_arrays(state_of(number));
  if (notes.turns >= loop->maximum)
    refuse(fmt::format("{} of the loop '{}' have ended, and the deck allows {}: allow more turns",
                       counted(notes.turns, "turn"), notes.loop, loop->maximum));
  return number;
}

void Checkpoints::check_arrays(const CheckpointedLoop& loop) const {
  const std::vector<io::FileArray>& found = restart_->arrays();
  for (const io::FileArray& array : loop.arrays) {
    const auto same = std::ranges::find(found, array.name, &io::FileArray::name);
    if (same == found.end() || same->type != array.type || !(same->domain == array.domain))
      refuse(fmt::format("holds {}, but the loop carries {}: give one of the same problem",
                         same == found.end() ? fmt::format("no '{}'", array.name) : described(*same),
                         described(array)));
  }
}

double Checkpoints::estimated_write_seconds() const {
  std::int64_t most = 0;
  for (const CheckpointedLoop& loop : run_.loops) most = std::max(most, bytes_of(loop.arrays));
  return assumed_latency + static_cast<double>(most) / assumed_bytes_per_second;
}

void Checkpoints::listen(Bindings& bindings) {
  if (!restart_ && directory_.empty()) return;
  bindings.resume_loop = [this](int loop, const LoadArray& load) { return resume(loop, load); };
  if (!directory_.empty())
    bindings.keep_loop = [this](const LoopProgress& progress, const StoreArray& store) {
      keep(progress, store);
    };
}

std::int64_t Checkpoints::resume(int loop, const LoadArray& load) {
  const bool goes_on = restart_loop_ == loop;
  const std::int64_t turns = goes_on ? restart_->notes().turns : 0;
  if (decisions_) decisions_->begin(turns);
  if (!goes_on) return 0;
  const CheckpointedLoop& carried = state_of(loop);
  for (std::size_t i = 0; i < carried.arrays.size(); ++i) {
    CheckpointSource source(*restart_, carried.arrays[i].name);
    load(carried.array_ids[i], source);
  }
  loops_.resume(loop, turns, restart_->residuals());
  restart_loop_ = -1;
  return turns;
}

void Checkpoints::keep(const LoopProgress& progress, const StoreArray& store) {
  CheckpointDecisions::Decision decision = decisions_->decide(progress.turns);
  const RecordedLoop& loop = loop_of(progress.loop);
  if (progress.turns == loop.maximum) {
    // This was the last turn, and the loop ends without being stopped. If the loop has a condition, a
    // checkpoint is written, because a later run that allows more turns may go on from there.
    decision = {.writes = loop.has_condition};
  }
  if (decision.writes && restart_loop_ < 0) write(progress, store, decision.ends());
  if (decision.ends()) stop(progress, decision);
}

void Checkpoints::write(const LoopProgress& progress, const StoreArray& store, bool ends) {
  const auto began = std::chrono::steady_clock::now();
  const std::string path = file_in(directory_, run_.program, next_number_);
  bool is_written = true;
  try {
    write_file(path, progress, store);
  } catch (const InputError& error) {
    if (ends) throw;
    is_written = false;
    if (run_.session.rank() == 0)
      fmt::print(stderr, "{}: warning: no checkpoint: {}; the run goes on\n", run_.program, error.what());
  }
  const double seconds = seconds_since(began);
  decisions_->wrote(seconds);
  if (!is_written) return;
  ++written_;
  ++next_number_;
  seconds_ += seconds;
  if (run_.session.rank() == 0) remove_all_but(directory_, run_.program, {last_, path});
  last_ = path;
  loops_.progress().line(fmt::format("checkpoint {}: after {} of '{}', {:.3g} s", path,
                                     counted(progress.turns, "turn"), loop_of(progress.loop).name, seconds));
}

void Checkpoints::write_file(const std::string& path, const LoopProgress& progress, const StoreArray& store) {
  const std::vector<io::FileArray>& arrays = state_of(progress.loop).arrays;
  const std::string deck = deck::print(run_.deck);
  const auto bytes = static_cast<std::int64_t>(deck.size() + run_.problem.size()) +
                     progress.turns * static_cast<std::int64_t>(sizeof(double)) + bytes_of(arrays);
  const auto writer = io::create_checkpoint(run_.session.communicator(), path, bytes);
  const std::vector<ArrayId>& ids = state_of(progress.loop).array_ids;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    CheckpointSink sink(*writer, arrays[i]);
    store(ids[i], sink);
  }
  writer->complete({run_.program, version(), deck, run_.problem, loop_of(progress.loop).name, progress.turns,
                    progress.residual},
                   loops_.residuals(progress.loop));
}

void Checkpoints::stop(const LoopProgress& progress, const CheckpointDecisions::Decision& decision) const {
  const std::string reason = decision.signal == SIGTERM   ? "SIGTERM"
                             : decision.signal == SIGUSR1 ? "SIGUSR1"
                                                          : "the wall limit";
  throw StoppedError(fmt::format("stopped by {} after {} of the loop '{}'; go on with restart={}", reason,
                                 counted(progress.turns, "turn"), loop_of(progress.loop).name, last_));
}

void Checkpoints::add(Report& report) const {
  if (!restart_ && directory_.empty()) return;
  report.add("checkpoints", {{"restart", restart_ ? restart_->path() : "none"},
                             {"restarted_after_turns", restart_ ? restart_->notes().turns : std::int64_t{0}},
                             {"written", written_},
                             {"seconds", seconds_}});
}

}  // namespace tessera::app
