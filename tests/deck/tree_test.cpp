// SPDX-License-Identifier: BSD-3-Clause
// Values of any form, and decks that are read for some keys only.
#include "tessera/deck/value.hpp"

#include <gtest/gtest.h>

#include "tessera/deck/deck.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"

namespace {

using tessera::deck::Deck;
using tessera::deck::load;
using tessera::deck::load_declared;
using tessera::deck::Schema;
using tessera::deck::Source;
using tessera::deck::to_yaml;
using tessera::deck::Tree;
using tessera::deck::ValueType;

Schema schema() {
  Schema keys;
  keys.add({.name = "steps", .type = ValueType::tree});
  keys.add({.name = "output.step"});
  return keys;
}

const Tree& steps_of(const Deck& deck) { return deck.get<Tree>("steps"); }

TEST(Tree, HasAnyFormAndKnowsItsPlaces) {
  const Deck deck = load(schema(), {{"d.yaml", "steps:\n  a: {blur: [x, y], size: 5, text: '5', none: }\n"}});
  const Tree& a = *steps_of(deck).find("a");
  EXPECT_EQ(a.kind, Tree::Kind::map);
  EXPECT_EQ(a.location, "d.yaml:2:6");
  EXPECT_EQ(a.keys.front().location, "d.yaml:2:7");
  EXPECT_EQ(a.find("blur")->items[1].text, "y");
  EXPECT_EQ(a.find("blur")->items[1].location, "d.yaml:2:17");
  EXPECT_FALSE(a.find("size")->quoted);
  EXPECT_TRUE(a.find("text")->quoted);
  EXPECT_EQ(a.find("none")->kind, Tree::Kind::nothing);
  EXPECT_EQ(a.find("other"), nullptr);
  EXPECT_EQ(to_yaml(a), "{blur: [x, y], size: 5, text: \"5\", none: null}");
}

TEST(Tree, LaterDecksAndTheCommandLineAreJoinedWithIt) {
  const Deck deck = load(
      schema(), {{"a.yaml", "steps: {a: {size: 5, of: [x, y]}}"}, {"b.yaml", "steps: {a: {of: z}, b: q}"}},
      {"steps.a.size=7", "steps.c={d: 1}"});
  EXPECT_EQ(to_yaml(steps_of(deck)), "{a: {size: 7, of: z}, b: q, c: {d: 1}}");
  EXPECT_EQ(steps_of(deck).find("a")->find("size")->location, "command line: 'steps.a.size=7'");
  EXPECT_EQ(steps_of(deck).find("b")->location, "b.yaml:1:24");
}

TEST(Tree, PrintedDecksHaveTheSameValue) {
  const Deck deck =
      load(schema(),
           {{"a.yaml", "steps:\n  a: {e: 'max(a, b)', f: \"it's \\\\ 'so'\", g: [1.5, -2, yes], h: 'yes'}"}});
  const std::string printed = tessera::deck::print(deck);
  EXPECT_TRUE(load(schema(), {{"p.yaml", printed}}) == deck) << printed;
  EXPECT_EQ(printed.substr(0, 12), "steps:\n  a: ");
}

TEST(LoadDeclared, LeavesOutOtherKeys) {
  const std::vector<Source> decks{
      {"a.yaml",
       "other: {steps: 5}\nschedule: {a: {compute: tile}}\noutput: {file: o.h5, step: b}\nsteps: {a: 1}\n"}};
  const Deck deck = load_declared(schema(), decks, {"input.file=x", "output.step=c"});
  EXPECT_EQ(to_yaml(steps_of(deck)), "{a: 1}");
  EXPECT_EQ(deck.get<std::string>("output.step"), "c");
  EXPECT_THROW(load(schema(), decks), tessera::InputError);
  EXPECT_FALSE(load_declared(schema(), {{"a.yaml", "output: 5"}}).is_set("steps"));
}

}  // namespace
