// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/run_plans.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/chosen_transport.hpp"
#include "tessera/app/detail/hdf5_results.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/plans.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/planner/bands.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/machine.hpp"

namespace tessera::app {
namespace {

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

/// Returns what each rank may use, without the levels of the machine.
Target target_of(const RunSetup& setup, bool limits_memory) {
  Target target;
  target.threads = threads_of(setup.session, setup.deck);
  target.device = !runs_on_host;
  target.memory_bytes = limits_memory ? setup.memory_limit() : 0;
  target.stages_messages = may_stage_messages(setup.deck);
  if (!target.device) target.cache_bytes = cache_to_write_past(target.threads);
  return target;
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
    setup.blame_deck([&] {
      plans_ = std::make_unique<Plans>(*setup.pipeline, setup.schedule, machine, ranks,
                                       setup.deck.is_set("bands") ? setup.deck.get<std::int64_t>("bands") : 0,
                                       file_chunks(setup));
      plan_ = plans_->of(std::min(session.rank(), ranks - 1));
    });
  });
}

}  // namespace tessera::app
