// SPDX-License-Identifier: BSD-3-Clause
#include "rank_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "collective.hpp"
#include "sorted_links.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/indexed_exchange.hpp"
#include "tessera/view/launch.hpp"

namespace pagerank {
namespace {

using Bounds = std::vector<std::int64_t>;

/// The work of a vertex besides that of its links, in units of the work of a link.
constexpr std::int64_t work_of_vertex = 4;
/// The greatest number of groups of vertices. The links to each group are counted over all ranks.
constexpr std::int64_t most_counts = 1 << 16;
/// The tag of the messages with sums of weights.
constexpr int sums_tag = 1;
/// The least and the greatest sum of weights that a vertex may have. A PageRank that is divided by a sum
/// between them is finite and not 0.
constexpr double least_sum = 1e-290;
constexpr double greatest_sum = 1e290;

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

/// Returns the bounds of ranks that all have the same number of vertices; only the last ranks may have fewer.
Bounds even_bounds(std::int64_t vertices, int ranks) {
  Bounds bounds;
  const std::int64_t size = (vertices + ranks - 1) / ranks;
  for (int rank = 0; rank <= ranks; ++rank) bounds.push_back(std::min(rank * size, vertices));
  return bounds;
}

/// Sorts links by their sources, then by their targets, and then by their weights. The sources are the `own`
/// vertices from `first` on, and the targets are among all `vertices` vertices.
void sort_by_source(std::vector<Link>& links, std::int64_t first, std::int64_t own, std::int64_t vertices) {
  sort_links(links, vertices, [](const Link& link) { return link.to; });
  sort_links(links, own, [first](const Link& link) { return link.from - first; });
  for (auto begin = links.begin(); begin != links.end();) {
    const auto end = std::find_if(begin, links.end(), [&](const Link& link) {
      return link.from != begin->from || link.to != begin->to;
    });
    if (end - begin > 1) std::ranges::sort(begin, end, {}, &Link::weight);
    begin = end;
  }
}

/// Returns whether any link of the graph has another weight than 1. Collective.
bool any_weights(MPI_Comm communicator, const std::vector<Link>& links) {
  return tessera::on_any_rank(communicator,
                              std::ranges::any_of(links, [](const Link& link) { return link.weight != 1; }));
}

/// Returns the sum of the weights of the links from each of the `vertices` vertices from `first` on. The
/// links of a vertex are added in their order. `number_of_first` is the number that the input gives to the
/// vertex `first`. Collective.
std::vector<double> sums_of_weights(MPI_Comm communicator, const std::vector<Link>& links, std::int64_t first,
                                    std::int64_t vertices, std::int64_t number_of_first) {
  std::vector<double> sums(index(vertices));
  for (const Link& link : links) sums[index(link.from - first)] += link.weight;
  tessera::collectively(communicator, [&] {
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (sums[i] != 0 && !(sums[i] >= least_sum && sums[i] <= greatest_sum))
        throw tessera::InputError(
            fmt::format("the weights of the links from vertex {} add up to {:g}: multiply all weights by the "
                        "same number, so that such sums are {:g} to {:g}",
                        number_of_first + static_cast<std::int64_t>(i), sums[i], least_sum, greatest_sum));
  });
  return sums;
}

/// Consecutive vertices in groups of the same size. Ranks own whole groups.
class VertexGroups {
 public:
  explicit VertexGroups(std::int64_t vertices)
      : vertices_(vertices), size_(std::max<std::int64_t>(1, (vertices + most_counts - 1) / most_counts)) {}

  /// Chooses the rank of each group, so that all ranks have about the same work. Returns the bounds of the
  /// ranks. Collective.
  Bounds choose(MPI_Comm communicator, const std::vector<Link>& links) {
    std::vector<std::int64_t> work(index((vertices_ + size_ - 1) / size_));
    for (const Link& link : links) ++work[link.to / index(size_)];
    MPI_Allreduce(MPI_IN_PLACE, work.data(), static_cast<int>(work.size()), MPI_INT64_T, MPI_SUM,
                  communicator);
    std::int64_t all = 0;
    for (std::size_t i = 0; i < work.size(); ++i) {
      const std::int64_t begin = static_cast<std::int64_t>(i) * size_;
      work[i] += work_of_vertex * (std::min(begin + size_, vertices_) - begin);
      all += work[i];
    }
    const int ranks = tessera::ranks_of(communicator);
    Bounds bounds{0};
    std::int64_t done = 0;
    for (std::size_t i = 0; i < work.size(); ++i) {
      // The group goes to the rank that would have its middle if all work were cut evenly.
      const auto middle = static_cast<double>(done) + static_cast<double>(work[i]) / 2;
      const auto rank = static_cast<std::size_t>(middle / static_cast<double>(all) * ranks);
      while (bounds.size() <= std::min(rank, index(ranks) - 1))
        bounds.push_back(static_cast<std::int64_t>(i) * size_);
      done += work[i];
      ranks_.push_back(static_cast<int>(bounds.size()) - 1);
    }
    bounds.resize(index(ranks) + 1, vertices_);
    return bounds;
  }

  int rank_of(Vertex vertex) const { return ranks_[vertex / index(size_)]; }

 private:
  std::int64_t vertices_;
  std::int64_t size_;
  std::vector<int> ranks_;
};

/// A set of vertices, which counts the members before each of them.
class VertexSet {
 public:
  explicit VertexSet(std::int64_t vertices) : words_(index(vertices + 63) / 64), before_(words_.size()) {}

  void add(Vertex vertex) { words_[vertex / 64] |= bit(vertex); }
  /// Counts the members, after the last one has been added.
  void count() {
    std::uint32_t members = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      before_[i] = members;
      members += static_cast<std::uint32_t>(std::popcount(words_[i]));
    }
  }
  /// Returns the number of members that are less than the member `vertex`.
  std::size_t number_of(Vertex vertex) const {
    return before_[vertex / 64] +
           static_cast<std::size_t>(std::popcount(words_[vertex / 64] & (bit(vertex) - 1)));
  }
  /// Returns the members in rising order.
  std::vector<std::int64_t> members() const {
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
        list.push_back(static_cast<std::int64_t>(64 * i) + std::countr_zero(word));
    return list;
  }

 private:
  static std::uint64_t bit(Vertex vertex) { return std::uint64_t(1) << vertex % 64; }
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> before_;
};

/// Gives the vertices of a rank their positions, and puts its links into rows. All work is done by the
/// constructor. The columns are the rank's own vertices and, behind them, its ghosts in rising order.
class Placement {
 public:
  Placement(RankGraph& graph, std::vector<Link> links, const std::vector<double>& own_sums)
      : graph_(graph),
        links_(std::move(links)),
        own_(index(graph.bounds[index(graph.rank) + 1] - graph.first())),
        ghosts_(graph.vertices) {
    find_ghosts(own_sums);
    order_columns();
    place_own();
    place_ghosts();
    fill_rows();
  }

 private:
  bool is_own(Vertex vertex) const {
    return vertex >= graph_.first() && vertex < graph_.bounds[index(graph_.rank) + 1];
  }
  /// Returns the number of a vertex among the own vertices and, behind them, the ghosts in rising order.
  std::size_t column(Vertex vertex) const {
    return is_own(vertex) ? index(vertex - graph_.first()) : own_ + ghosts_.number_of(vertex);
  }

  /// Finds the ghosts, and gets the sums of weights of all columns.
  void find_ghosts(const std::vector<double>& own_sums) {
    for (const Link& link : links_)
      if (!is_own(link.from)) ghosts_.add(link.from);
    ghosts_.count();
    members_ = ghosts_.members();
    tessera::IndexLists lists = tessera::index_lists(graph_.communicator, graph_.bounds, members_);
    // The exchange counts elements from the first own vertex.
    for (tessera::SentElements& elements : lists.sent)
      for (std::int64_t& element : elements.indices) element -= graph_.first();
    const Kokkos::View<double*, tessera::MemorySpace> sums("pagerank: sums", own_ + members_.size());
    const auto host = Kokkos::create_mirror_view(sums);
    std::ranges::copy(own_sums, host.data());
    Kokkos::deep_copy(sums, host);
    tessera::IndexedExchange<double> exchange(graph_.communicator, sums_tag, lists, sums,
                                              static_cast<std::int64_t>(own_));
    exchange.start({});
    exchange.finish({});
    tessera::compat::fence(tessera::ExecutionSpace());
    Kokkos::deep_copy(host, sums);
    sums_.assign(host.data(), host.data() + host.extent(0));
  }

  /// Orders the columns by falling sums, and those with the same sum by their vertices.
  void order_columns() {
    by_sum_.resize(sums_.size());
    std::iota(by_sum_.begin(), by_sum_.end(), std::size_t{0});
    const auto vertex = [this](std::size_t i) {
      return i < own_ ? graph_.first() + static_cast<std::int64_t>(i) : members_[i - own_];
    };
    std::sort(by_sum_.begin(), by_sum_.end(), [&](std::size_t a, std::size_t b) {
      return sums_[a] != sums_[b] ? sums_[a] > sums_[b] : vertex(a) < vertex(b);
    });
  }

  void place_own() {
    positions_.resize(sums_.size());
    for (const std::size_t i : by_sum_) {
      if (i >= own_) continue;
      positions_[i] = static_cast<Vertex>(graph_.order.size());
      graph_.order.push_back(static_cast<Vertex>(i));
      graph_.sums.push_back(sums_[i]);
      if (sums_[i] > 0) ++graph_.giving;
    }
  }

  /// Gives the ghosts positions: by owners, and those of each owner by falling sums.
  void place_ghosts() {
    std::vector<std::size_t> ghosts;
    for (const std::size_t i : by_sum_)
      if (i >= own_) ghosts.push_back(i);
    const auto owner = [this](std::size_t i) {
      return std::ranges::upper_bound(graph_.bounds, members_[i - own_]) - graph_.bounds.begin();
    };
    std::ranges::stable_sort(ghosts, {}, owner);
    std::vector<std::int64_t> needed;
    for (const std::size_t i : ghosts) {
      positions_[i] = static_cast<Vertex>(own_ + needed.size());
      needed.push_back(members_[i - own_]);
    }
    graph_.lists = tessera::index_lists(graph_.communicator, graph_.bounds, needed);
    for (tessera::SentElements& elements : graph_.lists.sent)
      for (std::int64_t& element : elements.indices) element = positions_[index(element - graph_.first())];
  }

  /// Sorts the links by the order of their sources, and then puts them into rows, which keep this order.
  void fill_rows() {
    numbers_.resize(by_sum_.size());
    for (std::size_t i = 0; i < by_sum_.size(); ++i) numbers_[by_sum_[i]] = static_cast<Vertex>(i);
    const auto count = static_cast<std::int64_t>(links_.size());
    tessera::for_each_index(tessera::HostExecutionSpace(), tessera::HostMode::kernels,
                            "pagerank: number links", count, NumberLink{*this});
    sort_links(links_, std::ssize(by_sum_), [](const Link& link) { return link.from; });
    sort_links(links_, static_cast<std::int64_t>(own_), [](const Link& link) { return link.to; });
    // Rows behind the last link begin where it ends.
    graph_.offsets.assign(own_ + 1, count);
    graph_.columns.resize(links_.size());
    graph_.weights.resize(graph_.has_weights ? links_.size() : 0);
    tessera::for_each_index(tessera::HostExecutionSpace(), tessera::HostMode::kernels,
                            "pagerank: place links", count, PlaceLink{*this});
    tessera::HostExecutionSpace().fence();
    links_ = {};
  }

  /// Replaces the source of a link by its number in the order of the columns, and the target by its position.
  struct NumberLink {
    Placement& placement;

    void operator()(std::int64_t i) const {
      Link& link = placement.links_[index(i)];
      link.from = placement.numbers_[placement.column(link.from)];
      link.to = placement.positions_[index(link.to - placement.graph_.first())];
    }
  };

  /// Stores a link in its row, and where the row begins, if it is the first one.
  struct PlaceLink {
    Placement& placement;

    void operator()(std::int64_t i) const {
      const Link& link = placement.links_[index(i)];
      RankGraph& graph = placement.graph_;
      graph.columns[index(i)] = placement.positions_[placement.by_sum_[link.from]];
      if (graph.has_weights) graph.weights[index(i)] = link.weight;
      const std::size_t begin = i == 0 ? 0 : std::size_t{placement.links_[index(i - 1)].to} + 1;
      for (std::size_t row = begin; row <= link.to; ++row) graph.offsets[row] = i;
    }
  };

  RankGraph& graph_;
  std::vector<Link> links_;
  std::size_t own_;
  VertexSet ghosts_;
  /// The ghosts in rising order.
  std::vector<std::int64_t> members_;
  /// For each column: the sum of weights, and the position.
  std::vector<double> sums_;
  std::vector<Vertex> positions_;
  /// The columns, ordered by their sums.
  std::vector<std::size_t> by_sum_;
  /// The number of each column in this order.
  std::vector<Vertex> numbers_;
};

}  // namespace

RankGraph distributed(MPI_Comm communicator, Links read, bool once) {
  RankGraph graph;
  graph.communicator = communicator;
  graph.vertices = read.vertices;
  graph.rank = rank_in(communicator);
  const Bounds even = even_bounds(graph.vertices, tessera::ranks_of(communicator));
  const std::int64_t even_size = std::max<std::int64_t>(even[1], 1);
  const std::int64_t first = even[index(graph.rank)];
  const std::int64_t vertices = even[index(graph.rank) + 1] - first;
  std::vector<Link> links = moved_links(communicator, std::move(read.links),
                                        [&](const Link& link) { return link.from / even_size; });
  graph.has_weights = any_weights(communicator, links);
  // Without weights no order is needed: the sums are counts of links, and repeated links do not differ.
  if (graph.has_weights || once) sort_by_source(links, first, vertices, graph.vertices);
  if (once) {
    const auto is_same = [](const Link& a, const Link& b) { return a.from == b.from && a.to == b.to; };
    links.erase(std::unique(links.begin(), links.end(), is_same), links.end());
  }
  graph.links = static_cast<std::int64_t>(links.size());
  MPI_Allreduce(MPI_IN_PLACE, &graph.links, 1, MPI_INT64_T, MPI_SUM, communicator);
  const std::vector<double> sums =
      sums_of_weights(communicator, links, first, vertices, first + read.counted_from);
  VertexGroups groups(graph.vertices);
  graph.bounds = groups.choose(communicator, links);
  links =
      moved_links(communicator, std::move(links), [&](const Link& link) { return groups.rank_of(link.to); });
  const std::vector<double> own_sums = moved_values(communicator, sums, even, graph.bounds);
  Placement(graph, std::move(links), own_sums);
  return graph;
}

}  // namespace pagerank
