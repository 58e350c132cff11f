// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/explain/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/random_plans.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;

/// The words of a DOT text: quoted texts, names, and single signs.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
      EXPECT_LT(i, text.size()) << "a quote without an end";
      ++i;
    } else if (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_') {
      while (i < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' || text[i] == '-'))
        ++i;
    } else if (text.compare(i, 2, "->") == 0) {
      i += 2;
    } else if (std::isspace(static_cast<unsigned char>(text[i++])) != 0) {
      continue;
    }
    words.push_back(text.substr(begin, i - begin));
  }
  return words;
}

std::int64_t count(const std::vector<std::string>& words, const std::string& word) {
  return std::count(words.begin(), words.end(), word);
}

std::string dot_of(const Algorithm& pipeline, const std::vector<Plan>& plans) {
  PlanTotals totals;
  for (const Plan& plan : plans) totals.add(pipeline, plan);
  return to_dot(pipeline, plans.front(), totals);
}

TEST(PlanDot, EveryArrayIsANodeAndEveryReadAnEdge) {
  test::Random random(611);
  for (int i = 0; i < 30; ++i) {
    const test::Graph graph = test::random_graph(random, true);
    const std::vector<std::string> words =
        words_of(dot_of(graph.pipeline, test::random_plans(random, graph, 8)));
    EXPECT_EQ(words.front(), "digraph");
    EXPECT_EQ(count(words, "{"), count(words, "}"));
    EXPECT_EQ(count(words, "["), count(words, "]"));
    std::int64_t edges = 0;
    for (const ArrayDeclaration& stage : graph.pipeline.arrays()) {
      edges += static_cast<std::int64_t>(stage.inputs.size());
      EXPECT_GE(count(words, "\"" + stage.name + "\""), 1);
    }
    EXPECT_EQ(count(words, "->"), edges);
  }
}

struct Same {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x + 1);
  }
};

TEST(PlanDot, TilesStandInAFrameAndEdgesTellBytes) {
  Pipeline pipeline;
  const auto input = pipeline.input<int, 1>("in \"put\\", Box{{0, 8}}, Boundary::clamp);
  const auto first = pipeline.stage<int>("first", Same{}, input);
  pipeline.output(pipeline.stage<int>("last", Same{}, first));
  Schedule schedule;
  schedule.stages["first"].placement = Placement::tile;
  const std::string text = dot_of(pipeline, make_plans(pipeline, schedule, {}, 2));
  words_of(text);
  const std::size_t frame = text.find("subgraph cluster_2 {\n    label=\"in tiles of last\"");
  ASSERT_NE(frame, std::string::npos) << text;
  const std::string inside = text.substr(frame, text.find("  }\n", frame) - frame);
  EXPECT_NE(inside.find("\"first\" ["), std::string::npos) << text;
  EXPECT_NE(inside.find("\"last\" ["), std::string::npos) << text;
  EXPECT_EQ(inside.find("cylinder"), std::string::npos) << text;
  // Rank 0 needs the points 4 and 5 of the other's.
  EXPECT_NE(text.find("\"in \\\"put\\\\\" -> \"first\" [label=\"8 bytes\"];"), std::string::npos) << text;
  EXPECT_NE(text.find("\"first\" -> \"last\";"), std::string::npos) << text;
}

}  // namespace
