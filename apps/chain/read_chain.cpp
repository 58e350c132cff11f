// SPDX-License-Identifier: BSD-3-Clause
#include "chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "build.hpp"
#include "read_step.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/expressions/expression.hpp"

namespace chain {
namespace {

using namespace tessera;
using deck::Tree;

constexpr const char* output_key = "output.step";

/// Orders steps by a depth-first search. `others` are the names besides those of the steps that steps may
/// read.
class Search {
 public:
  Search(const std::vector<Step>& steps, const std::vector<std::string>& others)
      : steps_(steps), others_(others) {
    for (std::size_t i = 0; i < steps.size(); ++i) number_.emplace(steps[i].name, i);
  }

  std::vector<Step> run() {
    state_.assign(steps_.size(), State::unseen);
    for (std::size_t i = 0; i < steps_.size(); ++i) visit(i);
    return std::move(ordered_);
  }

 private:
  enum class State { unseen, open, done };

  /// Appends step number i to the ordered steps, after all steps that it reads.
  void visit(std::size_t i) {
    if (state_[i] == State::done) return;
    path_.push_back(i);
    if (state_[i] == State::open) fail_cycle();
    state_[i] = State::open;
    for (const Operand& operand : steps_[i].operands) {
      const auto found = number_.find(operand.name);
      if (found != number_.end())
        visit(found->second);
      else if (std::ranges::find(others_, operand.name) == others_.end())
        fail_unknown(steps_[i], operand);
    }
    state_[i] = State::done;
    path_.pop_back();
    ordered_.push_back(steps_[i]);
  }

  /// Throws InputError about the steps at the end of the path, whose last one is the same as an earlier one.
  [[noreturn]] void fail_cycle() const {
    auto begin = std::ranges::find(path_, path_.back());
    const Step& first = steps_[*begin];
    std::string text;
    for (; begin + 1 != path_.end(); ++begin)
      text += fmt::format("{}'{}' reads '{}'", text.empty() ? "" : ", ", steps_[*begin].name,
                          steps_[begin[1]].name);
    throw InputError(fmt::format("{}: the steps are a cycle: {}", first.location, text));
  }

  [[noreturn]] void fail_unknown(const Step& step, const Operand& operand) const {
    std::vector<std::string> known = others_;
    for (const Step& other : steps_)
      if (other.name != step.name) known.push_back(other.name);
    const std::string meant = suggestion(operand.name, known);
    throw InputError(fmt::format(
        "{}: step '{}' reads '{}', but no step or input has this name{}", operand.location, step.name,
        operand.name, meant.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : meant));
  }

  const std::vector<Step>& steps_;
  const std::vector<std::string>& others_;
  std::map<std::string, std::size_t> number_;
  std::vector<State> state_;
  std::vector<std::size_t> path_;
  std::vector<Step> ordered_;
};

/// Returns the steps in an order in which each step comes after the steps that it reads. Apart from that, the
/// steps keep their order. Throws InputError if steps read each other in a cycle, or if a step reads
/// something that is neither one of the steps nor one of `others`.
std::vector<Step> ordered(const std::vector<Step>& steps, const std::vector<std::string>& others) {
  return Search(steps, others).run();
}

/// Returns the names in the condition of a loop. Throws InputError if the condition has an error.
std::vector<std::string> names_of_condition(const Step& step) {
  std::vector<std::string> names;
  if (step.loop->until.empty()) return names;
  try {
    const expressions::Expression condition = expressions::Expression(step.loop->until).as_condition();
    for (const auto& name : condition.names()) names.push_back(name.text);
  } catch (const expressions::ExpressionError& error) {
    throw InputError(fmt::format("{}: loop '{}': {}", step.loop->until_location, step.name, error.what()));
  }
  return names;
}

/// Reads one key of the loop `name`. Throws InputError if the key is unknown, or its value is faulty.
void read_entry(Loop& loop, const std::string& name, const Tree& key, const Tree& value,
                const std::set<std::string>& known_names) {
  const std::string owner = fmt::format("loop '{}'", name);
  const auto single_operand = [&] {
    const std::vector<Operand> operands = read_operands(value, owner, key.text);
    if (operands.size() != 1)
      fail(value, fmt::format("loop '{}': '{}' is the name of one step", name, key.text));
    return operands.front();
  };
  const std::vector<std::string> known = {"begin", "steps", "next", "turns", "until", "type"};
  if (key.text == "begin") {
    loop.begin = single_operand();
  } else if (key.text == "steps") {
    loop.steps = read_steps(value, fmt::format("'steps' of the loop '{}'", name), known_names);
  } else if (key.text == "next") {
    loop.next = single_operand();
  } else if (key.text == "turns") {
    loop.turns = read_count(value, owner, key.text);
  } else if (key.text == "type") {
    loop.type = read_type(value, owner);
    loop.has_type = true;
  } else if (key.text == "until") {
    if (value.kind != Tree::Kind::word || value.text.empty())
      fail(value, fmt::format("loop '{}': 'until' is an expression in quotes, such as 'change < 0.5'", name));
    loop.until = value.text;
    loop.until_location = value.location;
  } else {
    const std::string meant = suggestion(key.text, known);
    fail(key, fmt::format("loop '{}': unknown key '{}'{}", name, key.text,
                          meant.empty() ? fmt::format("; the keys are {}", fmt::join(known, ", ")) : meant));
  }
}

/// Reads a loop with its steps, which are not ordered yet. `known_names` are the names of all steps and
/// inputs of the deck.
Step read_loop(const Tree& name, const Tree& body, const std::set<std::string>& known_names) {
  check_name(name, "a loop");
  Step step{.name = name.text, .location = name.location};
  Loop loop;
  if (body.kind != Tree::Kind::map)
    fail(body, fmt::format("loop '{}': write {{begin: input, turns: 10, steps: {{...}}}}", name.text));
  for (std::size_t i = 0; i < body.keys.size(); ++i)
    read_entry(loop, name.text, body.keys[i], body.items[i], known_names);
  for (const char* needed : {"turns", "steps"})
    if (body.find(needed) == nullptr) fail(name, fmt::format("loop '{}' has no '{}'", name.text, needed));
  if (loop.begin.name.empty()) loop.begin = {main_input, name.location};
  if (loop.next.name.empty()) loop.next = {loop.steps.back().name, name.location};
  step.operands.push_back(loop.begin);
  const std::vector<std::string> own = names_of_steps(loop.steps);
  for (const Step& inner : loop.steps)
    for (const Operand& operand : inner.operands)
      if (operand.name != step.name && std::ranges::find(own, operand.name) == own.end())
        step.operands.push_back(operand);
  step.loop = std::make_shared<Loop>(std::move(loop));
  return step;
}

/// Returns the loop with its steps in order. Its steps may read the iterate and `others`. Throws InputError
/// if `next` or `until` names something that is not a step of the loop.
Step with_ordered_loop(const Step& step, const std::vector<std::string>& others) {
  Loop loop = *step.loop;
  const std::vector<std::string> own = names_of_steps(loop.steps);
  const auto is_own = [&](const std::string& name) { return std::ranges::find(own, name) != own.end(); };
  if (!is_own(loop.next.name))
    throw InputError(fmt::format("{}: loop '{}': 'next' is '{}', which is no step of the loop{}",
                                 loop.next.location, step.name, loop.next.name,
                                 suggestion(loop.next.name, own)));
  for (const std::string& name : names_of_condition(step))
    if (!is_own(name))
      throw InputError(fmt::format("{}: loop '{}': 'until' names '{}', which is no step of the loop{}",
                                   loop.until_location, step.name, name, suggestion(name, own)));
  std::vector<std::string> known = others;
  known.push_back(step.name);
  loop.steps = ordered(loop.steps, known);
  Step result = step;
  result.loop = std::make_shared<Loop>(std::move(loop));
  return result;
}

/// The names that are in use, and their places in the deck. Throws InputError if a name is added twice.
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

/// Returns the value of a key, or nullptr if the deck does not have it.
const Tree* tree_of(const deck::Deck& deck, const char* key) {
  return deck.schema().find(key) != nullptr && deck.is_set(key) ? &deck.get<Tree>(key) : nullptr;
}

/// Returns the names of the further inputs of a deck, and adds them to `used`.
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

/// Returns the names of all steps and inputs of a deck. It leaves out parts that do not have their form.
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

/// Reads the steps and the loops of a deck, and adds their names to `used`. They are not ordered yet.
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

/// Sets the step that is written: the step that the deck names, or else the step `last`.
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
