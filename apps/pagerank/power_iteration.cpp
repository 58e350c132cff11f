// SPDX-License-Identifier: BSD-3-Clause
#include "power_iteration.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

#include "tessera/view/block.hpp"
#include "tessera/view/exact_sum.hpp"

namespace pagerank {
namespace {

using tessera::ExecutionSpace;
using tessera::HostExecutionSpace;
using tessera::MemorySpace;

/// The number of parts of rows for each thread. With many small parts, all threads end at about the same
/// time.
constexpr std::int64_t parts_per_thread = 32;
/// The work of a row besides that of its links, in units of the work of a link.
constexpr std::int64_t work_of_row = 4;
/// The number of changes that are computed before they are added; they stay in the cache.
constexpr std::int64_t group = 512;
/// The tags of the messages of the two exchanges are this one and the next one.
constexpr int first_tag = 2;

/// Adds the sums of another rank. This is an MPI_User_function.
void add_turn_sums(void* from, void* to, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    const TurnSums& other = static_cast<const TurnSums*>(from)[i];
    static_cast<TurnSums*>(to)[i].change.merge(other.change);
    static_cast<TurnSums*>(to)[i].lost.merge(other.lost);
  }
}

/// Returns an array without values.
template <class T>
Kokkos::View<T*, MemorySpace> allocated(const char* name, std::int64_t count) {
  const Kokkos::View<T*, MemorySpace> view(Kokkos::view_alloc(std::string(name), Kokkos::WithoutInitializing),
                                           static_cast<std::size_t>(count));
  if constexpr (tessera::runs_on_host)
    tessera::prefer_huge_pages(view.data(), static_cast<std::size_t>(count) * sizeof(T));
  return view;
}

/// Returns an array with these values where kernels run.
template <class T>
Kokkos::View<T*, MemorySpace> copied(const char* name, const std::vector<T>& values) {
  const auto view = allocated<T>(name, static_cast<std::int64_t>(values.size()));
  Kokkos::deep_copy(view, Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                              values.data(), values.size()));
  return view;
}

/// Links that all have the weight 1.
struct EqualLinks {
  const std::int64_t* offsets;
  const Vertex* columns;
  const double* from;

  KOKKOS_FORCEINLINE_FUNCTION double brought(std::int64_t link) const { return from[columns[link]]; }
};

/// Links with weights.
struct WeightedLinks {
  const std::int64_t* offsets;
  const Vertex* columns;
  const double* weights;
  const double* from;

  KOKKOS_FORCEINLINE_FUNCTION double brought(std::int64_t link) const {
    return weights[link] * from[columns[link]];
  }
};

/// Returns the sum of a row. Its order depends on nothing but the number of links of the row.
template <class Links>
KOKKOS_FORCEINLINE_FUNCTION double sum_of_row(const Links& links, std::int64_t row) {
  std::int64_t link = links.offsets[row];
  const std::int64_t end = links.offsets[row + 1];
  double a = 0, b = 0, c = 0, d = 0;
  for (; link + 4 <= end; link += 4) {
    a += links.brought(link);
    b += links.brought(link + 1);
    c += links.brought(link + 2);
    d += links.brought(link + 3);
  }
  for (; link < end; ++link) a += links.brought(link);
  return (a + b) + (c + d);
}

/// Sums that have been computed before.
struct KnownSums {
  const double* sums;
};

KOKKOS_FORCEINLINE_FUNCTION double sum_of_row(const KnownSums& known, std::int64_t row) {
  return known.sums[row];
}

/// The arrays that the kernels of a turn read and write.
template <class Links>
struct Row {
  Links links;
  const double* factors;
  double* to;
  double* ranks;
  double base;
  std::int64_t giving;

  /// Computes the rank of a row's vertex and what it gives, and returns the absolute change of the rank.
  KOKKOS_FORCEINLINE_FUNCTION double update(std::int64_t row) const {
    const double rank = base + sum_of_row(links, row);
    const double change = rank > ranks[row] ? rank - ranks[row] : ranks[row] - rank;
    ranks[row] = rank;
    if (row < giving) to[row] = factors[row] * rank;
    return change;
  }
};

/// Computes a part of the rows, on one thread of the host.
template <class Row>
struct UpdatePart {
  Row row;
  const RowPart* parts;
  TurnSums* sums;

  void operator()(std::int64_t number) const {
    const RowPart part = parts[number];
    TurnSums& sum = sums[number];
    sum = {};
    double changes[group];
    for (std::int64_t begin = part.begin; begin < part.end; begin += group) {
      const std::int64_t count = std::min(group, part.end - begin);
      for (std::int64_t i = 0; i < count; ++i) changes[i] = row.update(begin + i);
      sum.change.add(changes, count);
    }
    if (part.begin >= row.giving) sum.lost.add(row.ranks + part.begin, part.end - part.begin);
  }
};

/// Computes one row, and adds its change.
template <class Row>
struct UpdateRow {
  Row row;

  KOKKOS_FUNCTION void operator()(std::int64_t i, tessera::ExactSum<double>& change) const {
    change.add(row.update(i));
  }
};

/// Adds the ranks of vertices.
struct AddRanks {
  const double* ranks;

  KOKKOS_FUNCTION void operator()(std::int64_t i, tessera::ExactSum<double>& sum) const { sum.add(ranks[i]); }
};

/// Computes what a vertex gives.
struct Give {
  const double* ranks;
  const double* factors;
  double* gives;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { gives[i] = factors[i] * ranks[i]; }
};

template <class Space>
auto policy(std::int64_t begin, std::int64_t end) {
  return Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(begin, end);
}

/// Adds what `kernel` adds for the indices [begin, end) to `sum`.
template <class Kernel>
void add_exactly(std::int64_t begin, std::int64_t end, const Kernel& kernel, tessera::ExactSum<double>& sum) {
  if (begin >= end) return;
  tessera::ExactSum<double> more;
  Kokkos::parallel_reduce("pagerank: sum", policy<ExecutionSpace>(begin, end), kernel,
                          tessera::ExactSumReducer<double>(more));
  sum.merge(more);
}

}  // namespace

PowerIteration::PowerIteration(const RankGraph& graph, double damping, [[maybe_unused]] Product product)
    : graph_(graph),
      damping_(damping),
      ranks_(allocated<double>("pagerank: ranks", graph.rows())),
      addition_(sizeof(TurnSums), &add_turn_sums) {
#ifdef PAGERANK_KERNELS
  if (product == Product::kokkos_kernels) product_ = make_kernels_product(graph);
#endif
  if (!product_) {
    offsets_ = copied("pagerank: offsets", graph.offsets);
    columns_ = copied("pagerank: columns", graph.columns);
    weights_ = copied("pagerank: weights", graph.weights);
  }
  std::vector<double> factors;
  for (std::int64_t i = 0; i < graph.giving; ++i)
    factors.push_back(damping / graph.sums[static_cast<std::size_t>(i)]);
  factors_ = copied("pagerank: factors", factors);
  set_even_ranks();
  make_parts();
  for (int i = 0; i < 2; ++i) {
    gives_[i] = allocated<double>("pagerank: gives", graph.rows() + graph.lists.received_count());
    Kokkos::deep_copy(gives_[i], 0);
    exchanges_[i] = std::make_unique<tessera::IndexedExchange<double>>(graph.communicator, first_tag + i,
                                                                       graph.lists, gives_[i], graph.rows());
  }
}

/// Cuts the rows into parts of about equal work. No part has rows both with and without links to others.
void PowerIteration::make_parts() {
  const auto work_before = [&](std::int64_t row) {
    return graph_.offsets[static_cast<std::size_t>(row)] + work_of_row * row;
  };
  const std::int64_t count = parts_per_thread * std::max(1, HostExecutionSpace().concurrency());
  const std::int64_t work = work_before(graph_.rows()) / count + 1;
  for (std::int64_t begin = 0; begin < graph_.rows();) {
    const std::int64_t limit = begin < graph_.giving ? graph_.giving : graph_.rows();
    std::int64_t end = begin + 1;
    while (end < limit && work_before(end + 1) - work_before(begin) <= work) ++end;
    parts_.push_back({begin, end});
    if (begin < graph_.giving) ++giving_parts_;
    begin = end;
  }
  part_sums_.resize(parts_.size());
}

/// Computes rows. Each vertex gets the rank `base` and what its links bring from the array `from_`, and gives
/// to the array `to`. Adds the changes, and the ranks of vertices without links, to `sums`.
void PowerIteration::compute(Rows rows, double base, int to, TurnSums& sums) {
  const Values& from = gives_[from_];
  const auto compute_with = [&](const auto& links) {
    const Row<std::decay_t<decltype(links)>> row{links, factors_.data(), gives_[to].data(), ranks_.data(),
                                                 base,  graph_.giving};
    if constexpr (tessera::runs_on_host)
      compute_on_host(rows, row, sums);
    else
      compute_on_device(rows, row, sums);
  };
  if (product_) {
    // One call sums all rows, so the silent rows, which come later, need none.
    if (rows != Rows::silent) sums_ = product_(from);
    compute_with(KnownSums{sums_.data()});
  } else if (weights_.extent(0) > 0) {
    compute_with(WeightedLinks{offsets_.data(), columns_.data(), weights_.data(), from.data()});
  } else {
    compute_with(EqualLinks{offsets_.data(), columns_.data(), from.data()});
  }
}

template <class Row>
void PowerIteration::compute_on_host(Rows rows, const Row& row, TurnSums& sums) {
  using Policy = Kokkos::RangePolicy<HostExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                     Kokkos::IndexType<std::int64_t>>;
  const std::int64_t begin = rows == Rows::silent ? giving_parts_ : 0;
  const std::int64_t end = rows == Rows::giving ? giving_parts_ : static_cast<std::int64_t>(parts_.size());
  if (begin == end) return;
  Kokkos::parallel_for("pagerank: rows", Policy(HostExecutionSpace(), begin, end, Kokkos::ChunkSize(1)),
                       UpdatePart<Row>{row, parts_.data(), part_sums_.data()});
  HostExecutionSpace().fence();
  for (std::int64_t i = begin; i < end; ++i) {
    sums.change.merge(part_sums_[static_cast<std::size_t>(i)].change);
    sums.lost.merge(part_sums_[static_cast<std::size_t>(i)].lost);
  }
}

template <class Row>
void PowerIteration::compute_on_device(Rows rows, const Row& row, TurnSums& sums) const {
  const std::int64_t begin = rows == Rows::silent ? graph_.giving : 0,
                     end = rows == Rows::giving ? graph_.giving : graph_.rows();
  add_exactly(begin, end, UpdateRow<Row>{row}, sums.change);
  add_exactly(std::max(begin, graph_.giving), end, AddRanks{ranks_.data()}, sums.lost);
}

void PowerIteration::set_ranks(const std::vector<double>& ranks) {
  const auto host = Kokkos::create_mirror_view(ranks_);
  for (std::size_t i = 0; i < graph_.order.size(); ++i) host(i) = ranks[graph_.order[i]];
  Kokkos::deep_copy(ranks_, host);
}

std::vector<double> PowerIteration::ranks() const {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ranks_);
  std::vector<double> ranks(graph_.order.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[graph_.order[i]] = host(i);
  return ranks;
}

/// Adds the sums of all ranks.
void PowerIteration::add_over_ranks(TurnSums& sums) const {
  if (graph_.bounds.size() > 2) addition_.run(&sums, graph_.communicator);
}

void PowerIteration::begin() {
  TurnSums sums;
  from_ = 0;
  Kokkos::parallel_for("pagerank: give", policy<ExecutionSpace>(0, graph_.giving),
                       Give{ranks_.data(), factors_.data(), gives_[from_].data()});
  add_exactly(graph_.giving, graph_.rows(), AddRanks{ranks_.data()}, sums.lost);
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
    compute(Rows::all, base, to, sums);
  } else {
    // Vertices without links give nothing, so they are computed while messages with what the others give are
    // sent.
    compute(Rows::giving, base, to, sums);
    exchanges_[to]->start({});
    compute(Rows::silent, base, to, sums);
  }
  add_over_ranks(sums);
  exchanges_[to]->finish({});
  from_ = to;
  lost_ = sums.lost.value();
  return sums.change.value();
}

}  // namespace pagerank
