// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/plan_run.hpp"

namespace tessera::app {

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

namespace {

bool shares_memory(const deck::Deck& deck) {
  return runs_on_host && deck.get<std::string>("exchange") != "messages";
}

}  // namespace

ChosenTransport chosen_transport(const Session& session, const deck::Deck& deck) {
  const std::string wanted = deck.get<std::string>("gpu_aware_mpi");
  ChosenTransport chosen = choose_transport(session.communicator(), wanted == "on"    ? GpuAware::on
                                                                    : wanted == "off" ? GpuAware::off
                                                                                      : GpuAware::detect);
  chosen.transport.shared_windows = shares_memory(deck);
  return chosen;
}

bool may_stage_messages(const deck::Deck& deck) {
  return !runs_on_host && deck.get<std::string>("gpu_aware_mpi") != "on";
}

std::string exchange_text(const deck::Deck& deck) {
  return shares_memory(deck) ? "packed points in shared memory within a node, others by messages"
                             : "messages";
}

}  // namespace tessera::app
