// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <utility>

#include "tessera/app/detail/launch.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// The bandwidth and latency from which the time for the first checkpoint is estimated.
constexpr double assumed_bytes_per_second = 1e8;
constexpr double assumed_latency = 0.5;

std::int64_t bytes_of(const std::vector<io::FileArray>& arrays) {
  std::int64_t bytes = 0;
  for (const io::FileArray& array : arrays)
    bytes += array.domain.size() * static_cast<std::int64_t>(size_of(array.type));
  return bytes;
}

/// A sink that writes the blocks of one array to a checkpoint.
class CheckpointSink final : public BlockSink {
 public:
  CheckpointSink(io::CheckpointWriter& writer, const io::FileArray& array) : writer_(writer), array_(array) {}
  void write(const HostBlock& block) override { writer_.write(array_, block); }

 private:
  io::CheckpointWriter& writer_;
  const io::FileArray& array_;
};

}  // namespace

Checkpoints::Checkpoints(const CheckpointedRun& run, LoopHistory& history, Progress& progress)
    : run_(run), history_(history), progress_(progress) {
  const CheckpointSettings settings = checkpoint_settings(run.deck);
  if (!settings.directory.empty()) check_folder(settings);
  restart_ = Restart::find(run_, settings, progress);
  is_before_restart_ = restart_ != nullptr;
  if (restart_) last_ = restart_->path();
  if (folder_)
    decisions_.emplace(run_.session.communicator(), settings, run_.session.began(),
                       estimated_write_seconds());
}

void Checkpoints::check_folder(const CheckpointSettings& settings) {
  folder_.emplace(settings.directory, run_.program);
  std::int64_t last = folder_->last_number();
  MPI_Bcast(&last, 1, MPI_INT64_T, 0, run_.session.communicator());
  next_number_ = last + 1;
  { const io::CheckpointWriter dropped_trial(run_.session.communicator(), folder_->file(next_number_)); }
  const std::filesystem::path restart(settings.restart);
  const bool goes_on =
      !settings.restart.empty() && (place_of(settings.directory) == place_of(settings.restart) ||
                                    place_of(settings.directory) == place_of(restart).parent_path());
  if (last > 0 && !goes_on)
    run_.deck.fail("checkpoint.directory",
                   fmt::format("holds checkpoints of another run: give restart={}, remove them, or choose "
                               "another folder",
                               settings.directory));
}

double Checkpoints::estimated_write_seconds() const {
  std::int64_t most = 0;
  for (const CheckpointedLoop& loop : run_.loops) most = std::max(most, bytes_of(loop.arrays));
  return assumed_latency + static_cast<double>(most) / assumed_bytes_per_second;
}

void Checkpoints::listen(Bindings& bindings) {
  if (!restart_ && !folder_) return;
  bindings.resume_loop = [this](int loop, const LoadArray& load) { return resume(loop, load); };
  if (folder_)
    bindings.keep_loop = [this](const LoopProgress& progress, const StoreArray& store) {
      keep(progress, store);
    };
}

std::int64_t Checkpoints::resume(int loop, const LoadArray& load) {
  const bool goes_on = is_before_restart_ && restart_->loop() == loop;
  const std::int64_t turns = goes_on ? restart_->turns() : 0;
  if (decisions_) decisions_->begin(turns);
  if (!goes_on) return 0;
  restart_->load(load);
  history_.resume(loop, turns, restart_->residuals());
  is_before_restart_ = false;
  return turns;
}

void Checkpoints::keep(const LoopProgress& progress, const StoreArray& store) {
  CheckpointDecisions::Decision decision = decisions_->decide(progress.turns);
  const CheckpointedLoop& loop = loop_of(progress);
  if (progress.turns == loop.maximum) {
    // This was the last turn, and the loop ends without being stopped. If the loop has a condition, a
    // checkpoint is written, because a later run that allows more turns may go on from there.
    decision = {.writes = loop.has_condition};
  }
  if (decision.writes && !is_before_restart_) write(progress, store, decision.ends());
  if (decision.ends()) stop(progress, decision);
}

void Checkpoints::write(const LoopProgress& progress, const StoreArray& store, bool ends) {
  const CheckpointDecisions::Clock::time_point began = CheckpointDecisions::Clock::now();
  const std::string path = folder_->file(next_number_);
  bool is_written = true;
  try {
    write_file(path, progress, store);
  } catch (const InputError& error) {
    if (ends) throw;
    is_written = false;
    if (run_.session.rank() == 0)
      fmt::print(stderr, "{}: warning: no checkpoint: {}; the run goes on\n", run_.program, error.what());
  }
  const double seconds = std::chrono::duration<double>(CheckpointDecisions::Clock::now() - began).count();
  decisions_->wrote(seconds);
  if (!is_written) return;
  ++written_;
  ++next_number_;
  seconds_ += seconds;
  if (run_.session.rank() == 0) folder_->remove_all_but({last_, path});
  last_ = path;
  progress_.line(fmt::format("checkpoint {}: after {} of '{}', {:.3g} s", path,
                             counted(progress.turns, "turn"), loop_of(progress).name, seconds));
}

void Checkpoints::write_file(const std::string& path, const LoopProgress& progress, const StoreArray& store) {
  const std::vector<io::FileArray>& arrays = loop_of(progress).arrays;
  const std::string deck = deck::print(run_.deck);
  const auto bytes = static_cast<std::int64_t>(deck.size() + run_.problem.size()) +
                     progress.turns * static_cast<std::int64_t>(sizeof(double)) + bytes_of(arrays);
  io::CheckpointWriter writer(run_.session.communicator(), path, bytes);
  const std::vector<int>& ids = loop_of(progress).array_ids;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    CheckpointSink sink(writer, arrays[i]);
    store(ids[i], sink);
  }
  writer.complete({run_.program, version(), deck, run_.problem, loop_of(progress).name, progress.turns,
                   progress.residual},
                  history_.residuals(progress.loop));
}

void Checkpoints::stop(const LoopProgress& progress, const CheckpointDecisions::Decision& decision) const {
  const std::string reason = decision.signal == SIGTERM   ? "SIGTERM"
                             : decision.signal == SIGUSR1 ? "SIGUSR1"
                                                          : "the wall limit";
  throw StoppedError(fmt::format("stopped by {} after {} of the loop '{}'; go on with restart={}", reason,
                                 counted(progress.turns, "turn"), loop_of(progress).name, last_));
}

void Checkpoints::add(Report& report) const {
  if (!restart_ && !folder_) return;
  report.add("checkpoints", {{"restart", restart_ ? restart_->path() : "none"},
                             {"restarted_after_turns", restart_ ? restart_->turns() : std::int64_t{0}},
                             {"written", written_},
                             {"seconds", seconds_}});
}

}  // namespace tessera::app
