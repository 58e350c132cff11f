// SPDX-License-Identifier: BSD-3-Clause
// The ranks that tessera-pagerank computes, beside those of a dense matrix in long double.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "apps/pagerank/collective.hpp"
#include "apps/pagerank/matrix_market.hpp"
#include "apps/pagerank/power_iteration.hpp"
#include "apps/pagerank/sorted_links.hpp"
#include "messages.hpp"
#include "tessera/domain/error.hpp"

namespace pagerank {
namespace {

constexpr double damping = 0.85;

/// Ranks after some turns, by the definition alone.
std::vector<long double> dense_ranks(std::int64_t vertices, const std::vector<Link>& links, int turns) {
  const auto n = static_cast<std::size_t>(vertices);
  std::vector<long double> matrix(n * n), sums(n), ranks(n, 1.0L / static_cast<long double>(n));
  for (const Link& link : links) {
    matrix[link.from * n + link.to] += link.weight;
    sums[link.from] += link.weight;
  }
  for (; turns > 0; --turns) {
    long double lost = 0;
    for (std::size_t u = 0; u < n; ++u)
      if (sums[u] == 0) lost += ranks[u];
    std::vector<long double> next(
        n, ((1 - static_cast<long double>(damping)) + damping * lost) / static_cast<long double>(n));
    for (std::size_t u = 0; u < n; ++u)
      for (std::size_t v = 0; v < n; ++v)
        if (sums[u] > 0) next[v] += damping * ranks[u] * matrix[u * n + v] / sums[u];
    ranks = next;
  }
  return ranks;
}

std::vector<Link> random_links(std::int64_t vertices, int count, bool weighted, unsigned seed) {
  std::mt19937 random(seed);
  const auto from = static_cast<unsigned>(std::max<std::int64_t>(1, vertices * 3 / 4));
  std::vector<Link> links;
  for (int i = 0; i < count; ++i) {
    const Vertex source = random() % from;
    const unsigned a = random() % static_cast<unsigned>(vertices),
                   b = random() % static_cast<unsigned>(vertices);
    links.push_back(
        {source, std::min(a, b), weighted ? static_cast<double>(random() % 1000) / 7 + 0.01 : 1.0});
  }
  return links;
}

/// Computes ranks on the ranks of `communicator`, each of which begins with every so-manieth link.
std::vector<double> ranks_of(MPI_Comm communicator, std::int64_t vertices, const std::vector<Link>& links,
                             int turns, bool once, std::vector<double>* changes = nullptr,
                             Product product = Product::fused) {
  Links read{.vertices = vertices, .links = {}};
  const auto parts = static_cast<std::size_t>(tessera::ranks_of(communicator));
  for (std::size_t i = 0; i < links.size(); ++i)
    if (i % parts == static_cast<std::size_t>(rank_in(communicator))) read.links.push_back(links[i]);
  const RankGraph graph = distributed(communicator, read, once);
  EXPECT_EQ(graph.bounds.back(), vertices);
  PowerIteration iteration(graph, damping, product);
  iteration.begin();
  for (int turn = 0; turn < turns; ++turn) {
    const double change = iteration.turn();
    if (changes != nullptr) changes->push_back(change);
  }
  std::vector<std::int64_t> gathered{0};
  gathered.resize(graph.bounds.size(), vertices);
  // All values go to rank 0, and from there to all.
  std::vector<double> all = moved_values(communicator, iteration.ranks(), graph.bounds, gathered);
  all.resize(static_cast<std::size_t>(vertices));
  MPI_Bcast(all.data(), static_cast<int>(vertices), MPI_DOUBLE, 0, communicator);
  return all;
}

void expect_ranks(std::int64_t vertices, const std::vector<Link>& links, Product product) {
  constexpr int turns = 25;
  const std::vector<long double> expected = dense_ranks(vertices, links, turns);
  std::vector<double> changes, changes_alone;
  const std::vector<double> found =
      ranks_of(MPI_COMM_WORLD, vertices, links, turns, false, &changes, product);
  for (std::size_t v = 0; v < found.size(); ++v)
    ASSERT_NEAR(found[v] / static_cast<double>(expected[v]), 1, 1e-13) << "vertex " << v;
  EXPECT_EQ(found, ranks_of(MPI_COMM_SELF, vertices, links, turns, false, &changes_alone, product));
  EXPECT_EQ(changes, changes_alone);
}

void expect_ranks(std::int64_t vertices, const std::vector<Link>& links) {
  expect_ranks(vertices, links, Product::fused);
  if (has_kernels) expect_ranks(vertices, links, Product::kokkos_kernels);
}

TEST(PowerIteration, HasTheRanksOfADenseMatrixWithTheSameBitsOnAnyNumberOfRanks) {
  for (const bool weighted : {false, true})
    for (const auto& [vertices, count] :
         {std::pair{1, 0}, {1, 3}, {2, 1}, {3, 0}, {3, 50}, {64, 300}, {150, 2000}})
      expect_ranks(vertices,
                   random_links(vertices, count, weighted, static_cast<unsigned>(vertices + count)));
}

TEST(PowerIteration, TakesHubsAndRings) {
  std::vector<Link> star, ring;
  for (Vertex v = 1; v < 120; ++v) {
    star.push_back({v, 0, 1});
    star.push_back({0, v, 2});
    ring.push_back({v, (v + 1) % 120, 1});
  }
  expect_ranks(120, star);
  expect_ranks(120, ring);
}

TEST(PowerIteration, CountsRepeatedLinksOnceWhereItIsAsked) {
  std::vector<Link> links = random_links(40, 200, false, 3);
  const auto key = [](const Link& link) { return std::pair(link.from, link.to); };
  std::ranges::sort(links, {}, key);
  std::vector<Link> twice = links;
  twice.insert(twice.end(), links.begin(), links.end());
  const auto is_same = [&](const Link& a, const Link& b) { return key(a) == key(b); };
  links.erase(std::unique(links.begin(), links.end(), is_same), links.end());
  EXPECT_EQ(ranks_of(MPI_COMM_WORLD, 40, twice, 10, true), ranks_of(MPI_COMM_SELF, 40, links, 10, false));
}

TEST(PowerIteration, GoesOnWithTheSameBits) {
  const std::vector<Link> links = random_links(100, 900, true, 8);
  const RankGraph graph = distributed(MPI_COMM_SELF, {100, links}, false);
  PowerIteration first(graph, damping), second(graph, damping);
  first.begin();
  for (int turn = 0; turn < 5; ++turn) first.turn();
  second.set_ranks(first.ranks());
  second.begin();
  for (int turn = 0; turn < 5; ++turn) EXPECT_EQ(first.turn(), second.turn());
  EXPECT_EQ(first.ranks(), second.ranks());
}

TEST(PowerIteration, HasTheSameBitsWhereBucketsHaveSeveralKeys) {
  constexpr std::int64_t vertices = 5000;
  for (const bool weighted : {false, true}) {
    const std::vector<Link> links = random_links(vertices, 40000, weighted, 12);
    EXPECT_EQ(ranks_of(MPI_COMM_WORLD, vertices, links, 5, !weighted),
              ranks_of(MPI_COMM_SELF, vertices, links, 5, !weighted));
  }
}

/// The numbers of keys are those at which buckets get several keys, and others far from there.
TEST(SortLinks, SortsAsAStableSort) {
  const auto key = [](const Link& link) { return link.to; };
  for (const std::int64_t keys : {1, 2047, 2048, 2049, 70000, 1 << 20})
    for (const int count : {0, 100000}) {
      std::vector<Link> links = random_links(keys, count, false, static_cast<unsigned>(keys));
      for (std::size_t i = 0; i < links.size(); ++i) links[i].weight = static_cast<double>(i);
      // The least and the greatest key have links, which are neither the first nor the last ones.
      if (count > 0) links[100].to = 0, links[200].to = static_cast<Vertex>(keys - 1);
      std::vector<Link> expected = links;
      std::ranges::stable_sort(expected, {}, key);
      sort_links(links, keys, key);
      const auto is_same = [](const Link& a, const Link& b) {
        return a.from == b.from && a.to == b.to && a.weight == b.weight;
      };
      EXPECT_TRUE(std::ranges::equal(links, expected, is_same)) << keys << " keys, " << count << " links";
    }
}

TEST(RankGraph, RanksHaveAboutAsManyLinksAsEachOther) {
  const std::vector<Link> links = random_links(5000, 60000, false, 1);
  Links read{.vertices = 5000, .links = {}};
  if (rank_in(MPI_COMM_WORLD) == 0) read.links = links;
  const RankGraph graph = distributed(MPI_COMM_WORLD, read, false);
  std::int64_t most = std::ssize(graph.columns) + 4 * graph.rows();
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_LT(static_cast<double>(most), 1.02 * 80000 / tessera::ranks_of(MPI_COMM_WORLD));
  EXPECT_EQ(graph.links, 60000);
}

TEST(RankGraph, RefusesWeightsThatCannotBeAdded) {
  for (const double weight : {1e308, 2e290, 1e-300, 5e-324}) {
    const Links read{3, {{1, 0, weight}, {1, 2, weight}}};
    EXPECT_THROW(distributed(MPI_COMM_SELF, read, false), tessera::InputError) << weight;
  }
  for (const double weight : {4e289, 1e-290}) {
    const Links read{3, {{1, 0, weight}, {1, 2, weight}}};
    EXPECT_EQ(distributed(MPI_COMM_SELF, read, false).links, 2) << weight;
  }
}

TEST(Highest, HasTheLowerOfEqualVerticesFirst) {
  const std::vector<double> ranks{1, 5, 3, 5, 0};
  const auto first = 5 * static_cast<std::int64_t>(rank_in(MPI_COMM_WORLD));
  const std::vector<Ranked> found = highest(MPI_COMM_WORLD, ranks, first, 3);
  const std::vector<Ranked> none = highest(MPI_COMM_WORLD, {}, 0, 3);
  EXPECT_TRUE(none.empty());
  std::vector<std::int64_t> vertices;
  for (const Ranked& one : found) vertices.push_back(one.vertex);
  const bool has_more = tessera::ranks_of(MPI_COMM_WORLD) > 1;
  EXPECT_EQ(vertices, (std::vector<std::int64_t>{1, 3, has_more ? 6 : 2}));
}

/// Several tests run at the same time, so that the name has the number of the process.
std::string temporary_path(const std::string& name) {
  return (std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()) + ".mtx")).string();
}

/// A file that is cut into pieces in every way has the same links, and the same number of lines.
TEST(EntryParser, GivesEachLineToOnePiece) {
  const std::string path = temporary_path("entries");
  std::string text = "%%MatrixMarket matrix coordinate integer general\n9 9 6\n";
  const std::string entries = "1 2 3\n\n% 7 7 7\n9 9 1\n  4\t5 6 \r\n2 1 0\n3 3 8\n7 6 5";
  text += entries;
  std::ofstream(path, std::ios::binary) << text;
  const MatrixMarketHeader header = read_header(path);
  EXPECT_EQ(header.begin, std::ssize(text) - std::ssize(entries));
  const EntryParser parser(path, header, true);
  for (std::int64_t cut = header.begin; cut <= std::ssize(text); ++cut) {
    ParsedEntries parsed = parser.parse(header.begin, cut);
    const ParsedEntries rest = parser.parse(cut, std::ssize(text));
    EXPECT_EQ(parsed.error + rest.error, "");
    EXPECT_EQ(parsed.lines + rest.lines, 8) << cut;
    EXPECT_EQ(parsed.entries + rest.entries, 6) << cut;
    parsed.links.insert(parsed.links.end(), rest.links.begin(), rest.links.end());
    double weights = 0;
    for (const Link& link : parsed.links) weights += link.weight * (link.from * 9 + link.to);
    EXPECT_EQ(parsed.links.size(), 5U) << cut;
    EXPECT_EQ(weights, 3 * 1 + 1 * 80 + 6 * 31 + 8 * 20 + 5 * 59) << cut;
  }
  std::filesystem::remove(path);
}

/// Lines at the ends of the chunks that are read at once.
TEST(EntryParser, ReadsLongFiles) {
  if (rank_in(MPI_COMM_WORLD) != 0) return;
  const std::string path = temporary_path("long_entries");
  constexpr std::int64_t count = 700000;
  {
    std::ofstream file(path, std::ios::binary);
    file << "%%MatrixMarket matrix coordinate pattern general\n1000000 1000000 " << count << '\n';
    for (std::int64_t i = 0; i < count; ++i) file << i + 1 << ' ' << (i * 37) % 1000000 + 1 << '\n';
  }
  const MatrixMarketHeader header = read_header(path);
  const EntryParser parser(path, header, true);
  const std::int64_t middle = header.begin + (parser.size() - header.begin) / 2 + 3;
  std::int64_t next = 0;
  for (const ParsedEntries& parsed :
       {parser.parse(header.begin, middle), parser.parse(middle, parser.size())})
    for (const Link& link : parsed.links) {
      ASSERT_EQ(link.from, next);
      ASSERT_EQ(link.to, next * 37 % 1000000);
      ++next;
    }
  EXPECT_EQ(next, count);
  EXPECT_EQ(read_entries(MPI_COMM_SELF, path, header, {}).links.size(), static_cast<std::size_t>(count));
  std::filesystem::remove(path);
}

/// Comments and blank lines of any length, wherever a file is cut, and lines of entries that are too long.
TEST(EntryParser, LinesOfAnyLengthCountAlikeInAllPieces) {
  if (rank_in(MPI_COMM_WORLD) != 0) return;
  const std::string path = temporary_path("long_lines");
  const auto file_with = [&](const std::string& entries) {
    std::ofstream(path, std::ios::binary) << "%%MatrixMarket matrix coordinate pattern general\n9 9 3\n"
                                          << entries;
    return read_header(path);
  };
  for (const std::size_t length : {std::size_t(5000), std::size_t(100000), (std::size_t(5) << 20) + 1}) {
    const std::string comment = "  %" + std::string(length, 'x'), blanks(length, ' ');
    const std::string entries = "1 2\n" + comment + "\n3 4\n" + blanks + "\n" + comment + "\n5 6\n" + blanks;
    const MatrixMarketHeader header = file_with(entries);
    const EntryParser parser(path, header, true);
    const auto size = static_cast<std::int64_t>(length);
    const std::vector<std::int64_t> cuts{
        0, 4, 5, 4 + size / 2, 7 + size, 8 + size, 12 + 2 * size, 15 + 3 * size, std::ssize(entries)};
    for (const std::int64_t cut : cuts) {
      const ParsedEntries first = parser.parse(header.begin, header.begin + cut),
                          rest = parser.parse(header.begin + cut, parser.size());
      EXPECT_EQ(first.error + rest.error, "") << length << " " << cut;
      EXPECT_EQ(first.lines + rest.lines, 7) << length << " " << cut;
      EXPECT_EQ(first.entries + rest.entries, 3) << length << " " << cut;
    }
    for (const std::string& entry : {"3 4" + blanks, blanks + "3 4"}) {
      const std::string before = "1 2\n" + comment + "\n";
      const MatrixMarketHeader bad = file_with(before + entry + "\n1 1\n");
      const EntryParser bad_parser(path, bad, true);
      for (const std::int64_t cut : {std::int64_t(0), std::int64_t(9), std::int64_t(std::ssize(before))}) {
        const ParsedEntries first = bad_parser.parse(bad.begin, bad.begin + cut),
                            rest = bad_parser.parse(bad.begin + cut, bad_parser.size());
        EXPECT_EQ(first.error, "");
        tessera::test::expect_message(rest.error, {"longer than any", "text file?"});
        EXPECT_EQ(first.lines + rest.lines, 3) << length << " " << cut;
      }
    }
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace pagerank
