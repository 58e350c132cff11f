// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/deck.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "deck_test_support.hpp"
#include "tessera/deck/schema.hpp"
#include "tessera/deck/value.hpp"

namespace tessera::deck {
namespace {

TEST(DeckPrint, TheEffectiveDeckPerStage) {
  const Deck deck =
      load_sample(minimal + "schedule: {'*': {compute: rank, grid: [2, auto]}}\n", {"sigma=1e-7"});
  EXPECT_EQ(print(deck), R"(input:
  file: a.png
output:
  file: blurred.h5
threads: 1
sigma: 1e-07
overlap: true
grid: [1, auto]
schedule:
  input:
    grid: [2, auto]
  bh:
    grid: [2, auto]
    compute: rank
    tile: auto
  bv:
    grid: [2, auto]
    compute: distributed
    tile: auto
)");
}

TEST(DeckPrint, LoadsToTheSameValues) {
  const std::vector<std::string> values = {
      "sigma=0.1",
      "sigma=3.0000000000000004",
      "sigma=-0.0",
      "overlap=off",
      "size=9223372036854775807",
      "grid=[auto]",
      "grid=[auto, 7]",
      "schedule.bh.tile={host: [4096, 32]}",
      "schedule.bh.tile={host: auto, device: [8]}",
      "schedule.b*.tile=[8, 8]",
      "input.dataset=~user",
      "input.dataset='null'",
      "input.dataset=\"\"",
      "input.dataset=\"a\\tb\\nc\\rd \\\"e\\\" \\\\ f\"",
      "input.dataset='*: {[#, ]} & !'",
      "input.dataset='  blanks  '",
      "input.dataset=1e5",
      "input.file=--- x",
      "input.file='...'",
      "input.file=\xc3\xa4 \xe2\x82\xac.png",
  };
  for (const std::string& value : values) {
    const Deck deck = load_sample(minimal, {value});
    EXPECT_EQ(load_sample(print(deck)), deck) << print(deck);
    EXPECT_EQ(print(load_sample(print(deck))), print(deck));
  }
}

TEST(DeckPrint, NothingToPrintIsAnEmptyBlock) {
  Schema schema;
  schema.add({.name = "size", .type = ValueType::integer});
  EXPECT_EQ(print(load(schema, {})), "{}\n");
  EXPECT_EQ(load(schema, {{"p", "{}\n"}}), load(schema, {}));
}

TEST(DeckHelp, GroupedAndAligned) {
  EXPECT_EQ(help_text(sample_schema()), R"(Keys of the deck; on the command line: key=value

Files:
  input.file                The image.
                            a path; required
  input.dataset             Its data set.
                            text; optional
  output.file               The result.
                            a path; default blurred.h5

Run:
  threads                   Threads of each rank.
                            an integer from 1 to 4096; default 1
  size                      an integer of at least 1 (pixels); optional
  sigma                     a number from 0 to 10; default 0.5
  overlap                   true or false; default on

Schedule:
  grid                      a list such as [1, auto] (at most 2 entries, each auto or an integer from 1 to
                            2147483647); default [1, auto]
  schedule.<stage>.grid     a list such as [1, auto] (at most 2 entries, each auto or an integer from 1 to
                            2147483647); optional
  schedule.<stage>.compute  Where the stage is computed.
                            for bh: one of distributed, rank, replicated, tile; default distributed
  schedule.<stage>.compute  for bv: distributed; default distributed
  schedule.<stage>.tile     for bh, bv: auto, a list such as [4096, 32] (at most 2 integers from 1 to
                            2147483647), or {host: [4096, 32], device: auto}; default auto
)");
}

}  // namespace
}  // namespace tessera::deck
