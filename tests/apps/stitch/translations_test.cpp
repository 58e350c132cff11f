// SPDX-License-Identifier: BSD-3-Clause
// The graph of translations: the same bits in whichever order bodies run, and no buffer more than the
// traversal needs.
#include "apps/stitch/translations.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "support.hpp"
#include "tessera/deck/load.hpp"

namespace stitch {
namespace {

constexpr Extent extent{60, 50};
constexpr int step_x = 44, step_y = 36, jitter = 3;

/// The tiles of a plate of random pixels, in files.
class StitchTranslations : public TileFolder {
 protected:
  TileReader tiles(int rows, int columns) {
    std::mt19937 random(22);
    const int width = columns * step_x + extent.width, height = rows * step_y + extent.height;
    std::vector<std::uint16_t> plate(static_cast<std::size_t>(width * height));
    for (auto& pixel : plate) pixel = static_cast<std::uint16_t>(random() % 60000);
    TileFiles files{Grid(rows, columns)};
    corners_.clear();
    for (int tile = 0; tile < files.grid.size(); ++tile) {
      const Cell cell = files.grid.cell(tile);
      const auto moved = [&] { return static_cast<int>(random() % (2 * jitter + 1)); };
      const Shift corner{cell.column * step_x + moved(), cell.row * step_y + moved()};
      corners_.push_back(corner);
      std::vector<std::uint16_t> pixels;
      for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; ++x)
          pixels.push_back(plate[static_cast<std::size_t>((corner.y + y) * width + corner.x + x)]);
      write_tile(files, {{0, extent.width}, {0, extent.height}}, pixels);
    }
    files.overlap = 0.25;
    return reader_of(std::move(files));
  }

  void expect_exact(const Translations& found) const {
    for (std::size_t i = 0; i < found.pairs().size(); ++i) {
      const Shift a = corners_[static_cast<std::size_t>(found.pairs()[i].first)],
                  b = corners_[static_cast<std::size_t>(found.pairs()[i].second)];
      EXPECT_EQ(found.results()[i].shift, (Shift{b.x - a.x, b.y - a.y}));
      EXPECT_GT(found.results()[i].correlation, 0.9999);
    }
  }

  std::vector<Shift> corners_;
};

TEST_F(StitchTranslations, SameBitsInAnyOrderOfBodies) {
  const TileReader reader = tiles(3, 4);
  std::vector<Translation> expected;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Translations translations(
        reader, {0, 3},
        {.traversal = static_cast<Traversal>(seed % 6), .workers = 1 + static_cast<int>(seed % 3)});
    tessera::graph::Graph graph("translations");
    translations.add_tasks(graph);
    graph.rehearse(seed);
    if (seed == 0) {
      expect_exact(translations);
      expected = translations.results();
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Translation &a = translations.results()[i], &b = expected[i];
      EXPECT_TRUE(a.shift == b.shift && a.correlation == b.correlation && a.evidence == b.evidence &&
                  a.peak == b.peak)
          << seed;
    }
  }
}

TEST_F(StitchTranslations, ThoseThatAreKnownAreNotComputed) {
  const TileReader reader = tiles(3, 4);
  const auto compute = [&](const std::vector<FoundTranslation>& known) {
    std::vector<FoundTranslation> found;
    Translations translations(reader, {0, 3}, {.known = known, .found = [&](const FoundTranslation& one) {
                                                 found.push_back(one);
                                               }});
    tessera::graph::Graph graph("translations");
    translations.add_tasks(graph);
    graph.rehearse(7);
    EXPECT_EQ(translations.pairs().size() + known.size(), 17U);
    expect_exact(translations);
    return found;
  };
  const std::vector<FoundTranslation> all = compute({});
  ASSERT_EQ(all.size(), 17U);
  for (const std::size_t count : {1U, 6U, 17U}) {
    const std::vector<FoundTranslation> known(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    for (const FoundTranslation& one : compute(known))
      for (const FoundTranslation& other : known) EXPECT_FALSE(one.pair == other.pair);
  }
}

TEST_F(StitchTranslations, TheLedgerKeepsEveryBit) {
  const TileReader reader = tiles(2, 2);
  const tessera::app::Ledger ledger(folder_ / "ledger", tessera::deck::load({}, {{"d.yaml", "{}"}}), {});
  const Pairs pairs = reader.grid().pairs();
  const std::vector<Translation> noted{{{-3, 44}, 0.1, 1.0 / 3, 2e-17}, {{1, -2}, no_correlation, -0.0, 1}};
  note(ledger, reader.files(), {pairs[1], noted[0]});
  note(ledger, reader.files(), {pairs[3], noted[1]});
  const auto found = noted_translations(MPI_COMM_SELF, ledger, reader.files());
  ASSERT_EQ(found.size(), 2U);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_TRUE(found[i].pair == pairs[2 * i + 1]);
    EXPECT_EQ(std::memcmp(&found[i].translation, &noted[i], sizeof(Translation)), 0);
  }
  // The last pair has the tile that is removed.
  std::filesystem::remove(reader.files().path(3));
  EXPECT_EQ(noted_translations(MPI_COMM_SELF, ledger, reader.files()).size(), 1U);
}

TEST_F(StitchTranslations, ThePoolIsWhatTheTraversalNeeds) {
  for (const auto& [rows, columns] : {std::pair{2, 5}, {5, 2}, {3, 3}, {1, 4}}) {
    const TileReader reader = tiles(rows, columns);
    for (int traversal = 0; traversal < 6; ++traversal)
      for (const bool in_double : {false, true}) {
        Translations translations(reader, {0, rows},
                                  {.in_double = in_double, .traversal = static_cast<Traversal>(traversal)});
        tessera::graph::Graph graph("translations");
        translations.add_tasks(graph);
        ASSERT_EQ(translations.pool_size(), translations.most_live());
        {
          tessera::graph::Run run = graph.run({.workers = 1});
          run.wait();
          EXPECT_EQ(run.report().pools.at(0).high_water, translations.most_live());
        }
        expect_exact(translations);
        if (translations.most_live() < 3) continue;
        graph.configure({.pools = {{"transforms", translations.most_live() - 1}}});
        EXPECT_THROW(graph.run({.workers = 2}).wait(), tessera::InputError);
      }
  }
}

TEST_F(StitchTranslations, OnlyShiftsInTheRightDirectionArePossible) {
  TileFiles files;
  files.overlap = 0.2;
  files.most_overlap = 0.75;
  EXPECT_TRUE(is_possible({44, 3}, Direction::right, extent, files));
  EXPECT_TRUE(is_possible({3, 36}, Direction::below, extent, files));
  for (const Shift shift : {Shift{0, 0}, {-44, 3}, {58, 0}, {10, 0}, {44, 26}, {44, -26}})
    EXPECT_FALSE(is_possible(shift, Direction::right, extent, files)) << shift.x << " " << shift.y;
  files.most_overlap = 0.4;
  EXPECT_TRUE(is_possible({36, 0}, Direction::right, extent, files));
  EXPECT_FALSE(is_possible({35, 0}, Direction::right, extent, files));
}

}  // namespace
}  // namespace stitch
