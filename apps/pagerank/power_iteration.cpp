// SPDX-License-Identifier: BSD-3-Clause
#include "power_iteration.hpp"

#include <cstddef>

namespace pagerank {
namespace {

constexpr int first_tag = 2;

}  // namespace

PowerIteration::PowerIteration(const RankGraph& graph, double damping, Product product)
    : graph_(graph), damping_(damping), update_(graph, damping, product) {
  for (int i = 0; i < 2; ++i) {
    gives_[i] = update_.make_gives();
    exchanges_[i] = std::make_unique<tessera::IndexedExchange<double>>(graph.communicator, first_tag + i,
                                                                       graph.lists, gives_[i], graph.rows());
  }
}

void PowerIteration::set_ranks(const std::vector<double>& ranks) {
  const auto host = Kokkos::create_mirror_view(update_.ranks());
  for (std::size_t i = 0; i < graph_.order.size(); ++i) host(i) = ranks[graph_.order[i]];
  Kokkos::deep_copy(update_.ranks(), host);
}

std::vector<double> PowerIteration::ranks() const {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), update_.ranks());
  std::vector<double> ranks(graph_.order.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[graph_.order[i]] = host(i);
  return ranks;
}

void PowerIteration::add_over_ranks(TurnSums& sums) const {
  sums.change.normalise();
  sums.lost.normalise();
  static_assert(sizeof(TurnSums) == 2 * sizeof(tessera::ExactSum<double>));
  if (graph_.bounds.size() > 2)
    MPI_Allreduce(MPI_IN_PLACE, &sums, 2, addition_.datatype(), addition_.operation(), graph_.communicator);
}

void PowerIteration::begin() {
  TurnSums sums;
  from_ = 0;
  update_.start(gives_[from_], sums);
  exchanges_[from_]->start({});
  add_over_ranks(sums);
  lost_ = sums.lost.value();
  exchanges_[from_]->finish({});
}

double PowerIteration::turn() {
  const auto n = static_cast<double>(graph_.vertices);
  const double base = (1 - damping_) / n + damping_ * (lost_ / n);
  const int to = 1 - from_;
  TurnSums sums;
  if (graph_.bounds.size() == 2) {
    update_.compute(Rows::all, base, gives_[from_], gives_[to], sums);
  } else {
    // Vertices without links are computed while the others wait for what they are given.
    update_.compute(Rows::giving, base, gives_[from_], gives_[to], sums);
    exchanges_[to]->start({});
    update_.compute(Rows::silent, base, gives_[from_], gives_[to], sums);
  }
  add_over_ranks(sums);
  exchanges_[to]->finish({});
  from_ = to;
  lost_ = sums.lost.value();
  return sums.change.value();
}

}  // namespace pagerank
