// SPDX-License-Identifier: BSD-3-Clause
// How products are cut: trees of sums, panels, and what they read.
#include "apps/matmul/plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

#include "apps/matmul/choice.hpp"

namespace matmul {
namespace {

using tessera::Box, tessera::Range;

TEST(MatmulSumTree, AddsAllLeavesOfAnyNumberOnce) {
  for (std::int64_t leaves = 1; leaves < 70; ++leaves) {
    const SumTree tree(leaves);
    std::map<TreePlace, std::set<std::int64_t>> waiting;
    std::size_t most = 0;
    std::set<std::int64_t> all;
    for (std::int64_t leaf = 0; leaf < leaves; ++leaf) {
      std::set<std::int64_t> sum{leaf};
      most = std::max(most, waiting.size() + 1);
      TreePlace place = tree.settled({0, leaf});
      for (;;) {
        if (tree.is_root(place)) {
          EXPECT_EQ(leaf, leaves - 1);
          all = sum;
          break;
        }
        const auto partner = waiting.find(SumTree::parent(place));
        if (partner == waiting.end()) {
          waiting[SumTree::parent(place)] = sum;
          break;
        }
        EXPECT_LT(*partner->second.rbegin(), *sum.begin());
        sum.insert(partner->second.begin(), partner->second.end());
        waiting.erase(partner);
        place = tree.settled(SumTree::parent(place));
      }
    }
    EXPECT_EQ(std::ssize(all), leaves);
    EXPECT_TRUE(waiting.empty());
    EXPECT_LE(most, static_cast<std::size_t>(tree.most_alive())) << leaves;
  }
}

TEST(MatmulSumTree, HasItsShape) {
  EXPECT_EQ(SumTree(1).most_alive(), 1);
  EXPECT_EQ(SumTree(2).most_alive(), 2);
  EXPECT_EQ(SumTree(3).most_alive(), 2);
  EXPECT_EQ(SumTree(4).most_alive(), 3);
  EXPECT_EQ(SumTree(5).settled({0, 4}), (TreePlace{2, 1}));
  EXPECT_EQ(SumTree(6).settled({0, 5}), (TreePlace{0, 5}));
  EXPECT_EQ(SumTree(1).settled({0, 0}), (TreePlace{0, 0}));
}

/// Expects that the partial sums of all blocks of C are begun once.
void expect_begun(const Plan& plan, const Box& blocks) {
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> begun;
  std::set<std::pair<std::int64_t, std::int64_t>> of_c;
  std::int64_t elements = 0;
  for (std::int64_t number = 0; number < plan.panels(); ++number) {
    const Panel panel = plan.panel(number);
    EXPECT_TRUE(plan.box_of(panel).size() > 0);
    for (std::int64_t item = 0; const auto leaf = plan.begin(number, item); ++item) {
      EXPECT_TRUE(begun.insert({leaf->row, leaf->column, leaf->leaf}).second);
      EXPECT_TRUE(blocks[1].contains(leaf->row) && blocks[0].contains(leaf->column));
      EXPECT_TRUE(panel.rows.contains(leaf->row) && panel.columns.contains(leaf->column));
      const Box box = plan.box_of(leaf->row, leaf->column);
      EXPECT_TRUE(plan.box_of(panel).contains(box));
      if (of_c.insert({leaf->row, leaf->column}).second) elements += box.size();
    }
  }
  EXPECT_EQ(std::ssize(begun), blocks.size() * plan.leaves());
  EXPECT_EQ(elements, plan.elements_written());
}

/// Expects that each panel reads the blocks of A and B that it needs once, one step after the other.
void expect_loaded(const Plan& plan) {
  const Shape& shape = plan.shape();
  const std::int64_t block = plan.cut().block;
  std::int64_t elements = 0;
  for (std::int64_t number = 0; number < plan.panels(); ++number) {
    std::set<std::tuple<Operand, std::int64_t, std::int64_t>> loaded;
    std::int64_t step = 0;
    for (std::int64_t item = 0; const auto load = plan.load(number, item); ++item) {
      EXPECT_TRUE(loaded.insert({load->operand, load->band, load->step}).second);
      EXPECT_GE(load->step, step);
      step = load->step;
      const Box box = plan.box_of(*load);
      const int along_k = load->operand == Operand::a ? 0 : 1;
      const std::int64_t extent = load->operand == Operand::a ? shape.rows : shape.columns;
      EXPECT_EQ(box[along_k].begin, load->step * plan.cut().depth);
      EXPECT_EQ(box[along_k].end, std::min(shape.depth, (load->step + 1) * plan.cut().depth));
      EXPECT_EQ(box[1 - along_k], (Range{load->band * block, std::min(extent, (load->band + 1) * block)}));
      EXPECT_LE(box.size(), plan.operand_elements());
      elements += box.size();
    }
    const Panel panel = plan.panel(number);
    EXPECT_EQ(std::ssize(loaded), plan.steps() * (panel.rows.size() + panel.columns.size()));
  }
  EXPECT_EQ(elements, plan.elements_read());
}

TEST(MatmulPlan, ReadsAndBeginsEverythingOnceForEachPanel) {
  std::mt19937 random(31);
  const auto number = [&](int most) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(most)) + 1;
  };
  for (int i = 0; i < 300; ++i) {
    const Shape shape{number(60), number(60), number(60)};
    const Cut cut{number(20), number(20), number(4)};
    const std::int64_t rows = pieces(shape.rows, cut.block), columns = pieces(shape.columns, cut.block);
    Box blocks{{0, columns}, {0, rows}};
    for (int d = 0; d < 2; ++d) {
      blocks[d].begin = number(static_cast<int>(blocks[d].end)) - 1;
      if (i % 7 == 0 && d == i % 2) blocks[d].end = blocks[d].begin;
    }
    const std::int64_t least = Plan::least_memory(shape, cut, 8);
    const Limits limits{8, least * number(6), static_cast<int>(number(3))};
    const auto plan = Plan::make(shape, cut, blocks, limits);
    ASSERT_TRUE(plan) << i;
    if (blocks.empty()) {
      EXPECT_EQ(plan->panels(), 0);
      EXPECT_EQ(plan->elements_written(), 0);
      continue;
    }
    EXPECT_LE(plan->bytes(), limits.memory);
    expect_begun(*plan, blocks);
    expect_loaded(*plan);
    EXPECT_FALSE(Plan::make(shape, cut, blocks, {8, least - 1, 1}));
    EXPECT_EQ(Plan::make(shape, cut, blocks, {8, least, 1})->bytes(), least);
  }
}

TEST(MatmulPlan, ReadsLessWithMoreMemory) {
  const Shape shape{4096, 4096, 4096};
  const Cut cut{256, 256, 32};
  const Box blocks{{0, 16}, {0, 16}};
  std::int64_t before = std::int64_t(1) << 62;
  for (std::int64_t memory = 4 << 20; memory <= 512 << 20; memory *= 2) {
    const auto plan = Plan::make(shape, cut, blocks, {8, memory, 2});
    ASSERT_TRUE(plan);
    EXPECT_LE(plan->elements_read(), before);
    before = plan->elements_read();
  }
  EXPECT_EQ(before, 2 * shape.rows * shape.depth);
}

// Neither takes long, nor has a pool more buffers than can be counted.
TEST(MatmulPlan, LongMatricesOfTinyBlocks) {
  const Shape shape{std::int64_t(1) << 33, 1 << 20, 1};
  const auto plan =
      Plan::make(shape, {1, 1, 1}, {{0, shape.columns}, {0, shape.rows}}, {8, std::int64_t(1) << 50, 2});
  ASSERT_TRUE(plan);
  EXPECT_GT(plan->sum_buffers(), 1 << 19);
  EXPECT_LE(plan->sum_buffers(), (1 << 20) + 3);
  const std::int64_t panels = plan->panels();
  EXPECT_EQ(plan->panel(panels - 1).rows.end, shape.rows);
  EXPECT_EQ(plan->panel(panels - 1).columns.end, shape.columns);
}

TEST(MatmulChoice, KeepsToTheMemoryAndToWhatIsGiven) {
  const auto choose = [](Shape shape, std::int64_t memory, std::int64_t block = 0, std::int64_t depth = 0) {
    return choose_cut(shape, shape.rows, shape.columns,
                      {.limits = {8, memory, 2}, .block = block, .depth = depth});
  };
  const Shape large{16384, 16384, 16384};
  EXPECT_EQ(choose(large, std::int64_t(8) << 30).block, 2048);
  // Blocks of 64 with a depth of 1024: two for A, one for B, and a tree of 2 leaves with one sum more.
  const std::int64_t least = 8 * (3 * 64 * 1024 + 3 * 64 * 64) + 6 * 512;
  EXPECT_EQ(Plan::least_memory(large, choose(large, least), 8), least);
  EXPECT_EQ(choose(large, 1 << 10).block, 64);
  for (std::int64_t memory = least; memory < std::int64_t(1) << 32; memory = memory * 3 / 2)
    EXPECT_LE(Plan::least_memory(large, choose(large, memory), 8), memory);
  EXPECT_EQ(choose(large, 1 << 28, 100).block, 100);
  EXPECT_EQ(choose(large, 1 << 28, 0, 77).depth, 77);
  const Cut given = choose(large, 1 << 10, 512, 512);
  EXPECT_EQ(given.block, 512);
  EXPECT_EQ(given.depth, 512);
  EXPECT_EQ(given.run, 16);
  // A matrix that is smaller than the smallest block is one.
  const Shape small{5, 7, 3};
  EXPECT_EQ(Plan::least_memory(small, choose(small, 1 << 10), 8), 8 * (3 * 7 * 3 + 2 * 5 * 7) + 5 * 512);
  // Small matrices are cut, so that all workers have something to do.
  EXPECT_LE(choose({1000, 1000, 1000}, 1 << 28).block, 512);
}

// Depth and leaf decide about the bits, and may depend on the shape alone.
TEST(MatmulChoice, OnlyTheEdgeOfBlocksDependsOnTheMachine) {
  std::set<std::int64_t> edges;
  for (const std::int64_t k : {1, 77, 1024, 5000, 20000})
    for (const std::int64_t memory : {std::int64_t(1) << 21, std::int64_t(1) << 26, std::int64_t(1) << 31})
      for (const int workers : {1, 8})
        for (const double speed : {1e7, 1e10}) {
          const Cut cut =
              choose_cut({3000, 2000, k}, 3000, 2000,
                         {.limits = {8, memory, workers}, .speed_of_a = speed, .speed_of_b = speed});
          EXPECT_EQ(cut.depth, std::min<std::int64_t>(k, 1024));
          EXPECT_EQ(cut.run, pieces(8192, cut.depth));
          edges.insert(cut.block);
        }
  EXPECT_GT(edges.size(), 1U);
}

TEST(MatmulChoice, TheEstimateCountsAllFiles) {
  const Shape shape{200, 300, 1000};
  const auto plan = Plan::make(shape, {100, 1000, 8}, {{0, 3}, {0, 2}}, {8, 1 << 24, 2});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->panels(), 1);
  Target target{.limits = {8, 1 << 24, 2}, .speed_of_a = 1000, .speed_of_b = 500, .arithmetic_speed = 1e20};
  EXPECT_DOUBLE_EQ(expected_seconds(*plan, target), 8 * (200.0 + 2 * 300 + 60));
  target.reads_c = true;
  EXPECT_DOUBLE_EQ(expected_seconds(*plan, target), 8 * (200.0 + 2 * 300 + 2 * 60));
  target.arithmetic_speed = 1;
  EXPECT_DOUBLE_EQ(expected_seconds(*plan, target), 60e6 * slowdown(100, 1000));
}

}  // namespace
}  // namespace matmul
