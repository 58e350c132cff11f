// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/chosen_transport.hpp"

namespace tessera::app {
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
