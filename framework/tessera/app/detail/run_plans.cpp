// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/run_plans.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/chosen_transport.hpp"
#include "tessera/app/detail/file_chunks.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/saved_plans.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/domain/human_bytes.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/plan_file/plan_json.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/machine.hpp"

namespace tessera::app {

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
