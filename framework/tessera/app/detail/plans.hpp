// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/run_setup.hpp"
#include "tessera/pipeline/planner/bands.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/regions.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/pipeline/run/banded_run.hpp"
#include "tessera/view/exchange.hpp"

namespace tessera::app {

/// The plans of all ranks of a run. The plan of a rank is made when of() is called for the rank.
class Plans {
 public:
  /// Prepares plans for a schedule. The number of bands is `bands`. If `bands` is 0, bands_that_fit chooses
  /// bands that fit into the memory of `target`, and that follow `chunks` where they can. Throws the
  /// exceptions of make_plan, bands_asked_for and bands_that_fit. `pipeline` must outlive this object.
  Plans(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
        std::int64_t bands = 0, const std::vector<ChunkRows>& chunks = {});

  int rank_count() const { return rank_count_; }
  /// The bands into which the arrays are cut. There is one band if the arrays are not cut.
  const Banding& bands() const { return bands_; }
  bool has_bands() const { return bands_.count > 1; }
  /// The chunks of the first output that bands_that_fit could not follow; no value if it followed those of
  /// all outputs.
  const std::optional<ChunkRows>& cut_chunks() const { return cut_chunks_; }
  /// Returns the plan of a rank. If there are several bands, this is the plan that plan_with_bands returns.
  /// It stands for the plans of all bands and cannot be run. Throws ScheduleError if the plan needs more
  /// memory than the target has. Several threads must not call this function at the same time.
  Plan of(int rank) const;
  /// Returns the plan of a rank for one band, which can be run.
  Plan of(int rank, const Band& band) const;

 private:
  /// The scheduled pipeline for one window, and the regions of ranks that were computed for earlier plans.
  /// Later plans use these regions again.
  struct Scheduled {
    Scheduled(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
              Window window)
        : settled(pipeline, schedule, target, rank_count, std::move(window)), others(settled) {}
    Plan of(int rank) { return make_plan(settled, rank, others); }
    ScheduledPipeline settled;
    Regions others;
  };

  void check_memory(const Plan& plan) const;

  const Algorithm& pipeline_;
  Schedule schedule_;
  Target target_;
  int rank_count_;
  Banding bands_;
  std::optional<ChunkRows> cut_chunks_;
  std::int64_t memory_bytes_ = 0;
  /// If there are several bands, one element for the shown band of each pass. Otherwise a single element for
  /// the whole arrays.
  std::vector<std::unique_ptr<Scheduled>> scheduled_;
};

/// The plans of a run, which are made with the schedule of the deck.
class RunPlans {
 public:
  /// Makes the plans. If `limits_memory` is false, plans are made as if there were no limit of memory, so
  /// that they have no bands. Throws InputError when the schedule is faulty. No pixel has been read at this
  /// time. `setup` must outlive this object. Collective.
  explicit RunPlans(const RunSetup& setup, bool limits_memory = true);

  /// The plans of all ranks.
  const Plans& all() const { return *plans_; }
  /// The plan of this rank. If there are plans for fewer ranks than run, each rank without a plan has the
  /// plan of the last rank with a plan.
  const Plan& mine() const { return plan_; }

 private:
  std::unique_ptr<Plans> plans_;
  Plan plan_;
};

/// A plan of a rank that is ready to run. It runs as a whole, or one band after the other.
class PlanRun {
 public:
  /// Prepares a run of `plan`, which is the plan of this rank. `plans` holds the plans of all ranks. All
  /// arguments must outlive this object. Collective.
  PlanRun(const Session& session, const Algorithm& pipeline, const Plans& plans, const Plan& plan,
          const Transport& transport);

  /// Runs the plan. Calls `observer` for the steps of the plan. If there are several bands, also calls
  /// `band_observer` with each band before it is computed. Collective.
  void run(const Bindings& bindings, const StepObserver& observer, const BandObserver& band_observer);

  /// The plan instance of the whole plan, or null if there are several bands.
  PlanInstance* instance() { return instance_.get(); }

 private:
  std::unique_ptr<PlanInstance> instance_;
  std::unique_ptr<BandedRun> bands_;
};

/// Returns how messages are sent, as the deck asks for it. Kokkos must have been started.
/// Collective.
ChosenTransport chosen_transport(const Session& session, const deck::Deck& deck);

/// Returns in words how ranks exchange points, such as "packed points in shared memory within a node, others
/// by messages".
std::string exchange_text(const deck::Deck& deck);

}  // namespace tessera::app
