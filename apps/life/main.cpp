// SPDX-License-Identifier: BSD-3-Clause
#include "stages.hpp"

#include <fmt/format.h>

#include "tessera/app/image_application.hpp"

namespace {

using tessera::deck::Deck;
using tessera::deck::ValueType;

/// A dimension of the board: its keys, and the words of messages for its extent and its unit.
struct Side {
  const char *extent_key, *place_key, *adjective, *unit;
};
constexpr Side sides[] = {{"board.width", "board.x", "wide", "columns"},
                          {"board.height", "board.y", "high", "rows"}};

/// Returns where the pattern begins along a side of the board: the place that the deck gives, or else the
/// middle. `pattern` is the extent of the pattern. Sets `extent` to that of the board: what the deck gives,
/// or else the extent of the pattern. Throws InputError if the pattern does not fit on the board.
int begin_of_pattern(const Deck& deck, const Side& side, std::int64_t pattern, std::int64_t& extent) {
  extent = deck.is_set(side.extent_key) ? deck.get<std::int64_t>(side.extent_key) : pattern;
  const bool is_placed = deck.is_set(side.place_key);
  const std::int64_t begin =
      is_placed ? deck.get<std::int64_t>(side.place_key) : std::max<std::int64_t>(0, extent - pattern) / 2;
  if (begin > extent - pattern)
    deck.fail(
        is_placed ? side.place_key : side.extent_key,
        fmt::format("a pattern of {} {} from {} on does not fit on a board that is {} {}: make {} larger, "
                    "or move the pattern",
                    pattern, side.unit, begin, extent, side.adjective, side.extent_key));
  return static_cast<int>(begin);
}

tessera::Pipeline build(const tessera::io::ImageInfo& image, const Deck& deck) {
  tessera::app::check_image(image, deck, {.types = {tessera::ElementType::uint8}, .planes = 0});
  std::int64_t width = 0, height = 0;
  life::Game game;
  game.left = begin_of_pattern(deck, sides[0], image.domain[0].size(), width);
  game.top = begin_of_pattern(deck, sides[1], image.domain[1].size(), height);
  game.board = {{0, width}, {0, height}};
  if (deck.get<std::string>("border") == "periodic") game.border = tessera::Boundary::periodic;
  game.generations = deck.get<std::int64_t>("generations");
  game.greatest_period = deck.get<std::int64_t>("period");
  game.alive = static_cast<std::uint8_t>(deck.get<std::int64_t>("alive"));
  return life::make_pipeline(image.domain, game);
}

constexpr double longest_side = 1 << 30;

const std::vector<tessera::deck::KeyDeclaration> parameters = {
    {.name = "board.width",
     .type = ValueType::integer,
     .group = "Game",
     .help = "Columns of the board; without it, those of the pattern",
     .minimum = 1,
     .maximum = longest_side},
    {.name = "board.height",
     .type = ValueType::integer,
     .group = "Game",
     .help = "Rows of the board; without it, those of the pattern",
     .minimum = 1,
     .maximum = longest_side},
    {.name = "board.x",
     .type = ValueType::integer,
     .group = "Game",
     .help = "Column of the pattern's upper left corner; without it, the pattern lies in the middle",
     .minimum = 0,
     .maximum = longest_side},
    {.name = "board.y",
     .type = ValueType::integer,
     .group = "Game",
     .help = "Row of the pattern's upper left corner; without it, the pattern lies in the middle",
     .minimum = 0,
     .maximum = longest_side},
    {.name = "border",
     .type = ValueType::choice,
     .group = "Game",
     .help = "What lies beyond the board: dead cells, or its other side",
     .default_text = "dead",
     .choices = {"dead", "periodic"}},
    {.name = "generations",
     .type = ValueType::integer,
     .group = "Game",
     .help = "How many generations, at most",
     .default_text = "100",
     .minimum = 1},
    {.name = "period",
     .type = ValueType::integer,
     .group = "Game",
     .help = "Ends the run when the board repeats itself with this period or a shorter one; 1: when nothing "
             "changes; 0: never",
     .default_text = "0",
     .minimum = 0,
     .maximum = 64},
    {.name = "alive",
     .type = ValueType::integer,
     .group = "Game",
     .help = "The value of a live cell in output.file and output.png; 255 is white",
     .default_text = "1",
     .minimum = 1,
     .maximum = 255}};

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-life",
       .summary = "Conway's Game of Life, from an RLE pattern or an image of uint8, where 0 is dead.",
       .writes_patterns = true,
       .parameters = parameters,
       .turn_limits = {"generations"},
       .build = build});
}
