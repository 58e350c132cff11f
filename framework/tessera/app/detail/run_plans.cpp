// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/run_plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/chosen_transport.hpp"
#include "tessera/app/detail/hdf5_results.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/plans.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/human_bytes.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/plan_file/plan_json.hpp"
#include "tessera/pipeline/planner/bands.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/machine.hpp"

namespace tessera::app {
namespace {

/// Reads the plans of all ranks from a file that was written with the option --save-plan. Throws InputError
/// when the file does not hold plans of `pipeline`, when the plans are for devices and this program computes
/// on hosts or the other way round, or when `ranks` is neither 0 nor the number of ranks of the plans.
std::unique_ptr<Plans> read_saved_plans(const Algorithm& pipeline, const std::string& path, int ranks) {
  const std::string text = io::read_text_file(path, "a plan, which --save-plan writes");
  std::unique_ptr<Plans> plans;
  try {
    plans = std::make_unique<Plans>(pipeline, text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  if (const Target target = plans->of(0).target; target.device == runs_on_host)
    throw InputError(fmt::format("{}: plans for {}, but this program computes on {}: save other plans", path,
                                 target.device ? "devices" : "hosts", runs_on_host ? "hosts" : "devices"));
  const int saved = plans->rank_count();
  if (ranks > 0 && saved != ranks)
    throw InputError(fmt::format("{}: plans for {}, but {} run: start as many, or save other plans", path,
                                 counted(saved, "rank"), ranks));
  return plans;
}

/// Returns the rows that the files of a run store together. The chunks of `output.file` come first, beginning
/// with those of the result. The chunks of the input files, which are only read, come last.
std::vector<ChunkRows> file_chunks(const RunSetup& setup) {
  const Algorithm& pipeline = *setup.pipeline;
  const io::Hdf5Storage storage = hdf5_storage(setup.deck);
  const bool has_chunks = setup.deck.is_set("output.file") && storage.has_chunks();
  std::vector<ChunkRows> chunks;
  for (int id = 0; id < pipeline.size(); ++id) {
    const ArrayDeclaration& array = pipeline[id];
    if (has_chunks && array.is_output && !array.is_everywhere() && array.dimensions > 1)
      chunks.push_back({id, storage.chunk_points(1, array.domain[1].size())});
  }
  // Clang 14 cannot compile std::ranges::stable_partition with the library of g++ 12.
  std::stable_partition(chunks.begin(), chunks.end(),
                        [&](const ChunkRows& chunk) { return &pipeline[chunk.array] == setup.result(); });
  for (int id = 0; id < pipeline.size(); ++id) {
    const io::ImageInfo* image = setup.inputs.image(pipeline[id].name);
    if (pipeline[id].is_input() && image != nullptr && image->chunk_rows > 1)
      chunks.push_back({id, image->chunk_rows});
  }
  return chunks;
}

}  // namespace

RunPlans::RunPlans(const RunSetup& setup, bool limits_memory) : setup_(setup), limits_memory_(limits_memory) {
  if (setup_.options.plan.empty())
    make();
  else
    read();
}

void RunPlans::make() {
  const Session& session = setup_.session;
  Target machine = target();
  const int ranks = setup_.options.ranks > 0 ? setup_.options.ranks : session.rank_count();
  const bool follows_machine = setup_.deck.get<std::string>("levels") == "machine";
  if (follows_machine && ranks != session.rank_count())
    setup_.deck.fail("levels",
                     "machine is known only of the ranks that run: leave out --ranks, or write flat");
  if (follows_machine) machine.levels = machine_levels(rank_places(session.communicator()));
  collectively(session.communicator(), [&] {
    setup_.blame_deck([&] {
      plans_ = std::make_unique<Plans>(
          *setup_.pipeline, setup_.schedule, machine, ranks,
          setup_.deck.is_set("bands") ? setup_.deck.get<std::int64_t>("bands") : 0, file_chunks(setup_));
      plan_ = plans_->of(std::min(session.rank(), ranks - 1));
    });
  });
}

Target RunPlans::target() const {
  Target target;
  target.threads = threads_of(setup_.session, setup_.deck);
  target.device = !runs_on_host;
  target.memory_bytes = limits_memory_ ? setup_.memory_limit() : 0;
  target.stages_messages = may_stage_messages(setup_.deck);
  if (!target.device) target.cache_bytes = cache_to_write_past(target.threads);
  return target;
}

/// Takes the plans from the file of --plan. Rank 0 reads the file and sends each other rank its plan.
void RunPlans::read() {
  const Session& session = setup_.session;
  std::vector<std::string> texts;
  collectively(session.communicator(), [&] {
    if (session.rank() == 0) texts = read_texts();
  });
  plan_ = plan_from_json(*setup_.pipeline, scatter(session.communicator(), texts));
  collectively(session.communicator(), [&] {
    if (const std::int64_t limit = setup_.memory_limit(); limit > 0 && plan_.peak_bytes() > limit)
      setup_.deck.fail("memory",
                       fmt::format("the plans in {} need {} on rank {}, but may use {}", setup_.options.plan,
                                   human_bytes(plan_.peak_bytes()), plan_.rank, human_bytes(limit)));
  });
}

/// Reads the file of --plan into `plans_`. Returns the plan of each rank that runs, as text.
std::vector<std::string> RunPlans::read_texts() {
  const std::string& file = setup_.options.plan;
  const deck::Deck& deck = setup_.deck;
  const int ranks = setup_.session.rank_count();
  plans_ = read_saved_plans(*setup_.pipeline, file, setup_.options.only_plans() ? 0 : ranks);
  const int threads = plans_->of(0).target.threads;
  if (deck.is_set("bands")) deck.fail("bands", "saved plans have none: leave it out");
  if (deck.is_set("threads") && deck.get<std::int64_t>("threads") != threads)
    deck.fail("threads", fmt::format("the plans in {} are for {}: leave it out", file, threads));
  std::vector<std::string> texts;
  for (int rank = 0; rank < ranks; ++rank)
    texts.push_back(to_json(*setup_.pipeline, plans_->of(std::min(rank, plans_->rank_count() - 1))));
  return texts;
}

}  // namespace tessera::app
