// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "tessera/app/detail/plans.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/pipeline/run/banded_run.hpp"
#include "tessera/view/exchange.hpp"

namespace tessera::app {

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

/// Returns the way in which messages are sent, as the deck asks for it. Kokkos must have been started.
/// Collective.
ChosenTransport chosen_transport(const Session& session, const deck::Deck& deck);

/// Whether the deck allows messages between ranks of a device to be staged (see Target::stages_messages).
bool may_stage_messages(const deck::Deck& deck);

/// Returns in words how ranks exchange points, such as "packed points in shared memory within a node, others
/// by messages".
std::string exchange_text(const deck::Deck& deck);

}  // namespace tessera::app
