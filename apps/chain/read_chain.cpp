// SPDX-License-Identifier: BSD-3-Clause
#include "read_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "order.hpp"
#include "read_loop.hpp"
#include "read_step.hpp"
#include "tessera/domain/text.hpp"

namespace chain {
namespace {

using namespace tessera;
using deck::Tree;

constexpr const char* output_key = "output.step";

/// Throws InputError if a name is given twice.
class UsedNames {
 public:
  void add(const std::string& name, const std::string& location, const char* what) {
    const auto [first, is_new] = places_.emplace(name, location);
    if (!is_new)
      throw InputError(fmt::format("{}: {} is called '{}', as something else is already{}", location, what,
                                   name, first->second.empty() ? "" : fmt::format(" ({})", first->second)));
  }

 private:
  std::map<std::string, std::string> places_{{main_input, ""}};
};

const Tree* tree_of(const deck::Deck& deck, const char* key) {
  return deck.schema().find(key) != nullptr && deck.is_set(key) ? &deck.get<Tree>(key) : nullptr;
}

std::vector<std::string> read_inputs(const deck::Deck& deck, UsedNames& used) {
  std::vector<std::string> inputs;
  const Tree* const block = tree_of(deck, "inputs");
  if (block == nullptr) return inputs;
  if (block->kind != Tree::Kind::map)
    fail(*block, "'inputs' is a block of further images, such as 'flat: {file: flat.h5}'");
  for (const Tree& name : block->keys) {
    check_name(name, "an input");
    used.add(name.text, name.location, "an input");
    inputs.push_back(name.text);
  }
  return inputs;
}

/// Returns the names of all steps and inputs of a deck, as far as it has the form of a chain.
std::set<std::string> names_in(const deck::Deck& deck) {
  std::set<std::string> names{main_input};
  const auto add = [&names](const Tree* block) {
    if (block == nullptr) return;
    for (const Tree& name : block->keys) names.insert(name.text);
  };
  for (const char* key : {"inputs", "steps", "repeat"}) add(tree_of(deck, key));
  if (const Tree* const loops = tree_of(deck, "repeat"))
    for (const Tree& loop : loops->items) add(loop.find("steps"));
  return names;
}

/// Reads the steps and the loops of a deck. They are not ordered yet.
std::vector<Step> read_all(const deck::Deck& deck, UsedNames& used) {
  const std::set<std::string> names = names_in(deck);
  std::vector<Step> steps;
  if (const Tree* const block = tree_of(deck, "repeat")) {
    if (block->kind != Tree::Kind::map || block->keys.empty())
      fail(*block,
           "'repeat' is a block of loops, such as 'relaxed: {begin: input, turns: 10, steps: {...}}'");
    for (std::size_t i = 0; i < block->keys.size(); ++i)
      steps.push_back(read_loop(block->keys[i], block->items[i], names));
  }
  if (const Tree* const block = tree_of(deck, "steps"))
    for (Step& step : read_steps(*block, "'steps'", names)) steps.push_back(std::move(step));
  for (const Step& step : steps) {
    used.add(step.name, step.location, step.loop ? "a loop" : "a step");
    if (step.loop)
      for (const Step& inner : step.loop->steps) used.add(inner.name, inner.location, "a step");
  }
  return steps;
}

/// Sets the step that is written: the one that the deck names, or else the last one of the deck.
void read_output(Chain& chain, const deck::Deck& deck, const std::string& last) {
  chain.output = last;
  if (!deck.is_set(output_key)) return;
  chain.output = deck.get<std::string>(output_key);
  chain.output_location = deck.location(output_key);
  if (chain.find(chain.output) != nullptr) return;
  std::vector<std::string> names;
  for (const Step& step : chain.steps) names.push_back(step.name);
  const std::string meant = suggestion(chain.output, names);
  deck.fail(output_key,
            fmt::format("there is no step '{}'{}", chain.output,
                        meant.empty() ? fmt::format("; the steps are {}", fmt::join(names, ", ")) : meant));
}

}  // namespace

const Step* Chain::find(const std::string& name) const {
  const auto found = std::ranges::find(steps, name, &Step::name);
  return found == steps.end() ? nullptr : &*found;
}

std::vector<deck::KeyDeclaration> chain_keys() {
  return {
      {.name = "steps",
       .type = deck::ValueType::tree,
       .group = "Chain",
       .help = "The steps: NAME: {OPERATOR: what it reads, parameters}, or NAME: {expression: 'text'}; steps "
               "read 'input', further inputs and other steps by their names",
       .required = true,
       .alternatives = {"repeat"}},
      {.name = "repeat",
       .type = deck::ValueType::tree,
       .group = "Chain",
       .help =
           "Loops: NAME: {begin: what the first turn reads, turns: the greatest number, steps: steps that "
           "read NAME, next: the step that is NAME in the next turn, until: 'expression of numbers'}"},
      {.name = "inputs",
       .type = deck::ValueType::tree,
       .group = "Chain",
       .help = "Further images of the type and size of the image: NAME: {file: PATH}"},
      {.name = output_key,
       .type = deck::ValueType::text,
       .group = "Chain",
       .help = "The step whose result is written; without it, the last one"}};
}

Chain read_chain(const deck::Deck& deck) {
  Chain chain;
  UsedNames used;
  chain.inputs = read_inputs(deck, used);
  std::vector<Step> steps = read_all(deck, used);
  const std::string last = steps.back().name;
  std::vector<std::string> known{main_input};
  known.insert(known.end(), chain.inputs.begin(), chain.inputs.end());
  steps = ordered(steps, known);
  for (const Step& step : steps) known.push_back(step.name);
  for (const Step& step : steps) chain.steps.push_back(step.loop ? with_ordered_loop(step, known) : step);
  read_output(chain, deck, last);
  return chain;
}

}  // namespace chain
