// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/schema.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::deck {
namespace {

void expect_refused(const KeyDeclaration& declaration) {
  Schema schema;
  schema.names("stage", {"a", "b"});
  schema.add({.name = "taken"}).add({.name = "block.key"}).add({.name = "schedule.<stage>.grid"});
  EXPECT_THROW(schema.add(declaration), InternalError) << declaration.name;
}

TEST(Schema, KeysOfAListHaveItsGroupUnlessTheyHaveTheirOwn) {
  Schema schema;
  schema.add("Machine", {{.name = "a"}, {.name = "b", .group = "Files"}});
  EXPECT_EQ(schema.find("a")->group, "Machine");
  EXPECT_EQ(schema.find("b")->group, "Files");
}

TEST(Schema, RefusesContradictions) {
  expect_refused({.name = ""});
  expect_refused({.name = "a b"});
  expect_refused({.name = "a..b"});
  expect_refused({.name = "taken"});
  expect_refused({.name = "taken.below"});
  expect_refused({.name = "block"});
  expect_refused({.name = "schedule.a"});
  expect_refused({.name = "schedule.a.grid"});
  expect_refused({.name = "schedule.<stage>.grid", .only = {"a"}});
  expect_refused({.name = "schedule.<stage>"});
  expect_refused({.name = "x.<nobody>.grid"});
  expect_refused({.name = "x.<stage>.<stage>.grid"});
  expect_refused({.name = "x.<stage>.grid", .only = {"c"}});
  expect_refused({.name = "x", .only = {"a"}});
  expect_refused({.name = "x", .type = ValueType::choice});
  expect_refused({.name = "x", .choices = {"a"}});
  expect_refused({.name = "x", .default_text = "a", .required = true});
  expect_refused({.name = "x", .type = ValueType::integer, .default_text = "a"});
  expect_refused({.name = "x", .type = ValueType::integer, .default_text = "0", .minimum = 1});
}

TEST(Schema, RefusesNamesThatPatternsCouldNotTellApart) {
  EXPECT_THROW(Schema().names("stage", {"a*"}), InternalError);
  EXPECT_THROW(Schema().names("stage", {"a.b"}), InternalError);
  EXPECT_THROW(Schema().names("stage", {""}), InternalError);
  EXPECT_THROW(Schema().names("stage", {"a", "a"}), InternalError);
  EXPECT_THROW(Schema().names("stage", {"a"}).names("stage", {"b"}), InternalError);
}

TEST(Nearest, SuggestsOnlyWhatIsAlike) {
  const std::vector<std::string> words = {"distributed", "rank", "replicated", "tile"};
  EXPECT_EQ(nearest("distribted", words), "distributed");
  EXPECT_EQ(nearest("ran", words), "rank");
  EXPECT_EQ(nearest("tiel", {"tidy", "tile"}), "tile");
  EXPECT_EQ(nearest("TILE", words), "tile");
  EXPECT_EQ(nearest("zebra", words), std::nullopt);
  EXPECT_EQ(nearest("", words), std::nullopt);
  EXPECT_EQ(nearest(std::string(1000000, 'r'), words), std::nullopt);
}

}  // namespace
}  // namespace tessera::deck
