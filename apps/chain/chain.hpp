// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/operators/registry.hpp"

namespace chain {

/// The name of a step or an input that a step reads.
struct Operand {
  std::string name;
  /// The place in the deck that names it.
  std::string location;
};

/// A parameter of an operator, as the deck gives it.
struct Setting {
  std::string name;
  tessera::operators::ParameterValue value;
  std::string location;
};

struct Loop;

/// A step of a chain: an operator, an expression or a loop.
struct Step {
  std::string name;
  /// The place in the deck that gives the step its name.
  std::string location;
  /// The steps and inputs that the step reads. For an expression, these are the names in its text. For a
  /// loop, these are the beginning of its iterate, and what its inner steps read from outside of the loop.
  std::vector<Operand> operands = {};
  /// The operator, unless the step is an expression or a loop.
  const tessera::operators::Operator* operation = nullptr;
  std::vector<Setting> settings = {};
  /// The text of an expression, and the type of its result.
  std::string expression = {};
  tessera::ElementType type = tessera::ElementType::float32;
  /// The loop, if the step is one.
  std::shared_ptr<const Loop> loop = nullptr;
};

/// Steps that are computed again and again. They read the iterate by the name of the loop.
struct Loop {
  /// The step or input that gives the iterate of a loop its values before the first turn.
  Operand begin;
  /// The steps of a turn, each after those that it reads.
  std::vector<Step> steps;
  /// The step that computes the next iterate.
  Operand next;
  /// The greatest number of turns.
  std::int64_t turns = 1;
  /// The expression of numbers that ends the loop when it is not 0. If it is empty, all turns are made.
  std::string until = {};
  std::string until_location = {};
  /// The type of the iterate, if the deck gives it.
  bool has_type = false;
  tessera::ElementType type = tessera::ElementType::float32;
};

/// A chain of steps: a pipeline that a deck describes, instead of C++ code.
struct Chain {
  /// The steps, each after those that it reads.
  std::vector<Step> steps;
  /// The names of the inputs besides `input`.
  std::vector<std::string> inputs;
  /// The step whose result is written.
  std::string output;
  /// The place in the deck that names this step.
  std::string output_location;

  /// Returns the step with this name, or nullptr if there is none.
  const Step* find(const std::string& name) const;
};

/// The name of the main input.
inline constexpr const char* main_input = "input";

/// Returns the declarations of the keys that say what a chain is: `steps`, `repeat`, `inputs` and
/// `output.step`.
std::vector<tessera::deck::KeyDeclaration> chain_keys();

/// Reads the chain of a deck that has the keys of chain_keys(). Throws InputError, which tells the place in
/// the deck and the step, if an operator or a parameter does not exist, if a step reads something that does
/// not exist, if steps read each other in a cycle, or if an expression has an error.
Chain read_chain(const tessera::deck::Deck& deck);

/// Returns the text of a C++ program that computes the same as the chain, bit by bit. `name` is the name of
/// the program.
std::string cpp_of(const Chain& chain, const std::string& name);

/// Writes the program of cpp_of() to the file `path`, whose name without ending is the name of the program.
/// Returns a line that says so. Throws InputError if the file cannot be written.
std::string write_cpp(const Chain& chain, const std::string& path);

}  // namespace chain
