// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/plans.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/machine.hpp"

namespace tessera::app {

Plans::Plans(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
             std::int64_t bands, const std::vector<ChunkRows>& chunks)
    : pipeline_(pipeline), schedule_(schedule), target_(target), rank_count_(rank_count) {
  bands_ = bands > 0 ? bands_asked_for(pipeline, bands)
                     : bands_that_fit(pipeline, schedule, target, rank_count, chunks);
  // The chunks of the first output that chosen bands cut are kept for a message.
  for (const ChunkRows& chunk : chunks)
    if (!cut_chunks_ && has_bands() && bands == 0 && pipeline[chunk.array].is_output &&
        bands_.unit % chunk.rows != 0)
      cut_chunks_ = chunk;
  // If there are several bands, make_plan gets no memory limit. If `bands` is given, check_memory checks the
  // memory instead. Otherwise bands_that_fit has chosen the bands by the memory that they need.
  if (has_bands() && bands > 0) memory_bytes_ = target_.memory_bytes;
  if (has_bands()) target_.memory_bytes = 0;
  const int passes = has_bands() ? passes_of(pipeline) : 1;
  for (int pass = 0; pass < passes; ++pass)
    scheduled_.push_back(std::make_unique<Scheduled>(
        pipeline_, schedule_, target_, rank_count_,
        has_bands() ? Window(pipeline, bands_.band(shown_band(pipeline, bands_), pass)) : Window()));
}

Plan Plans::of(int rank) const {
  if (!has_bands()) return scheduled_.front()->of(rank);
  Plan plan = plan_with_bands(pipeline_, bands_, [&](const Band& band) {
    return scheduled_[static_cast<std::size_t>(band.pass)]->of(rank);
  });
  check_memory(plan);
  return plan;
}

Plan Plans::of(int rank, const Band& band) const {
  return make_plan(ScheduledPipeline(pipeline_, schedule_, target_, rank_count_, Window(pipeline_, band)),
                   rank);
}

void Plans::check_memory(const Plan& plan) const {
  const std::int64_t bytes = peak_bytes_with_next_band(plan);
  if (memory_bytes_ > 0 && bytes > memory_bytes_)
    throw ScheduleError("memory", fmt::format("rank {} of {} needs {} in {} bands, but may use {}: use more "
                                              "bands or ranks",
                                              plan.rank, plan.rank_count, human_bytes(bytes), bands_.count,
                                              human_bytes(memory_bytes_)));
}

namespace {

/// Returns the rows that the files of a run store together. The chunks of `output.file` come first, beginning
/// with those of the result. The chunks of the input files, which are only read, come last.
std::vector<ChunkRows> file_chunks(const RunSetup& setup) {
  const Algorithm& pipeline = *setup.pipeline;
  const io::Hdf5Storage storage = hdf5_storage(setup.deck);
  const bool has_chunks = setup.deck.is_set("output.file") && storage.has_chunks();
  std::vector<ChunkRows> chunks;
  for (ArrayId id : pipeline.ids()) {
    const ArrayDeclaration& array = pipeline[id];
    if (has_chunks && array.is_output && !array.is_everywhere() && array.dimensions > 1)
      chunks.push_back({id, storage.chunk_points(1, array.domain[1].size())});
  }
  // Clang 14 cannot compile std::ranges::stable_partition with the library of g++ 12.
  std::stable_partition(chunks.begin(), chunks.end(),
                        [&](const ChunkRows& chunk) { return &pipeline[chunk.array] == setup.result(); });
  for (ArrayId id : pipeline.ids()) {
    const io::ImageInfo* image = setup.inputs.image(pipeline[id].name);
    if (pipeline[id].is_input() && image != nullptr && image->chunk_rows > 1)
      chunks.push_back({id, image->chunk_rows});
  }
  return chunks;
}

/// Returns what each rank may use, without the levels of the machine.
Target target_of(const RunSetup& setup, bool limits_memory) {
  Target target;
  target.threads = threads_of(setup.session, setup.deck);
  target.device = !runs_on_host;
  target.memory_bytes = limits_memory ? memory_limit(setup.deck) : 0;
  target.stages_messages = target.device && setup.deck.get<std::string>("gpu_aware_mpi") != "on";
  if (!target.device) target.cache_bytes = cache_to_write_past(target.threads);
  return target;
}

bool shares_memory(const deck::Deck& deck) {
  return runs_on_host && deck.get<std::string>("exchange") != "messages";
}

}  // namespace

RunPlans::RunPlans(const RunSetup& setup, bool limits_memory) {
  const Session& session = setup.session;
  Target machine = target_of(setup, limits_memory);
  const int ranks = setup.options.ranks > 0 ? setup.options.ranks : session.rank_count();
  const bool follows_machine = setup.deck.get<std::string>("levels") == "machine";
  if (follows_machine && ranks != session.rank_count())
    setup.deck.fail("levels",
                    "machine is known only of the ranks that run: leave out --ranks, or write flat");
  if (follows_machine) machine.levels = machine_levels(rank_places(session.communicator()));
  collectively(session.communicator(), [&] {
    blame_deck(setup.deck, [&] {
      plans_ = std::make_unique<Plans>(*setup.pipeline, setup.schedule, machine, ranks,
                                       setup.deck.is_set("bands") ? setup.deck.get<std::int64_t>("bands") : 0,
                                       file_chunks(setup));
      plan_ = plans_->of(std::min(session.rank(), ranks - 1));
    });
  });
}

PlanRun::PlanRun(const Session& session, const Algorithm& pipeline, const Plans& plans, const Plan& plan,
                 const Transport& transport) {
  if (!plans.has_bands()) {
    instance_ = std::make_unique<PlanInstance>(pipeline, plan, session.communicator(), transport);
    return;
  }
  bands_ = std::make_unique<BandedRun>(
      pipeline, in_order(pipeline, plans.bands()),
      [&plans, rank = session.rank()](const Band& band) { return plans.of(rank, band); }, plan,
      session.communicator(), transport, session.thread_level() == "multiple");
}

void PlanRun::run(const Bindings& bindings, const StepObserver& observer, const BandObserver& band_observer) {
  if (bands_)
    bands_->run(bindings, observer, band_observer);
  else
    instance_->run(bindings, observer);
}

ChosenTransport chosen_transport(const Session& session, const deck::Deck& deck) {
  const std::string wanted = deck.get<std::string>("gpu_aware_mpi");
  ChosenTransport chosen = choose_transport(session.communicator(), wanted == "on"    ? GpuAware::on
                                                                    : wanted == "off" ? GpuAware::off
                                                                                      : GpuAware::detect);
  chosen.transport.shared_windows = shares_memory(deck);
  return chosen;
}

std::string exchange_text(const deck::Deck& deck) {
  return shares_memory(deck) ? "packed points in shared memory within a node, others by messages"
                             : "messages";
}

}  // namespace tessera::app
