// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/expressions/detail/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <span>
#include <tuple>

#include "tessera/expressions/detail/arithmetic.hpp"

namespace tessera::expressions::detail {
namespace {

/// A node of an expression, or several nodes that are computed together.
struct Node {
  Operation operation = Operation::constant;
  float value = 0;
  int name = -1;
  int arguments[5] = {-1, -1, -1, -1, -1};
};

/// Two operations, and the operation `joined` that does the work of both. The result of `inner` is the first
/// argument of `outer`. The arguments of `joined` are those of `inner`, and then the other ones of `outer`.
struct Pair {
  Operation outer;
  Operation inner;
  Operation joined;
};

constexpr Pair pairs[] = {
    {Operation::clamp, Operation::multiply_add, Operation::clamped_sum},
    {Operation::clamp, Operation::multiply_subtract, Operation::clamped_difference},
    {Operation::clamp, Operation::subtract_product, Operation::clamped_rest},
    {Operation::select, Operation::less, Operation::select_less},
    {Operation::select, Operation::less_or_equal, Operation::select_less_or_equal},
    {Operation::absolute, Operation::subtract, Operation::absolute_difference},
    {Operation::square_root, Operation::multiply_add, Operation::root_of_sum},
};

/// Makes a program node by node.
class Compiler {
 public:
  Compiler(const Expression& expression, std::optional<float> limit)
      : expression_(expression), limit_(limit) {}

  Program compile() {
    join_equal_nodes();
    drop_limits();
    count_uses();
    join_products();
    count_uses();
    join_pairs();
    count_uses();
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (uses_[i] > 0) load(static_cast<int>(i));
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (uses_[i] > 0 && register_of_[i] < 0) instruct(static_cast<int>(i));
    program_.result = register_of_[nodes_.size() - 1];
    return program_;
  }

 private:
  [[noreturn]] void fail_too_long(int most, const char* what) const {
    fail_at_column(
        expression_.text(), 1,
        fmt::format("the expression has more than {} {}: divide it into several steps", most, what));
  }

  const Node& node(int index) const { return nodes_[index]; }

  /// Makes all nodes refer to the first of several equal nodes.
  void join_equal_nodes() {
    // Numbers are compared by their bits, because -0 == 0, and because NaN has no place in an order.
    // Expressions have no joint operations, so that no node has more than three arguments.
    std::map<std::tuple<Operation, std::uint32_t, int, int, int, int>, int> known;
    std::vector<int> first(expression_.nodes().size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      const Expression::Node& read = expression_.nodes()[i];
      Node joined{.operation = read.operation, .value = read.value, .name = read.name};
      for (int k = 0; k < 3; ++k)
        if (read.arguments[k] >= 0) joined.arguments[k] = first[read.arguments[k]];
      const auto& a = joined.arguments;
      first[i] = static_cast<int>(nodes_.size());
      const auto [equal, is_new] =
          known.emplace(std::tuple(joined.operation, std::bit_cast<std::uint32_t>(joined.value), joined.name,
                                   a[0], a[1], a[2]),
                        first[i]);
      if (is_new)
        nodes_.push_back(joined);
      else
        first[i] = equal->second;
    }
    // The result is the last node of the expression. If an equal node stands before it, the nodes after that
    // one are not needed.
    nodes_.resize(static_cast<std::size_t>(first.back()) + 1);
  }

  /// Drops a last operation that limits the result to [0, limit], because the result is limited to it anyway.
  void drop_limits() {
    const Node last = nodes_.back();
    if (!limit_ || last.operation != Operation::clamp) return;
    const Node &low = node(last.arguments[1]), &high = node(last.arguments[2]);
    if (low.operation != Operation::constant || high.operation != Operation::constant || low.value != 0 ||
        high.value != *limit_)
      return;
    nodes_.resize(static_cast<std::size_t>(last.arguments[0]) + 1);
  }

  /// Counts how often each node is an argument of a node that the result needs.
  void count_uses() {
    uses_.assign(nodes_.size(), 0);
    uses_.back() = 1;
    for (std::size_t i = nodes_.size(); i-- > 0;)
      if (uses_[i] > 0)
        for (int argument : nodes_[i].arguments)
          if (argument >= 0) ++uses_[argument];
  }

  bool is_single_product(int index) const {
    return node(index).operation == Operation::multiply && uses_[index] == 1;
  }

  /// Joins sums and differences with products that nothing else needs.
  void join_products() {
    for (Node& sum : nodes_) {
      const bool adds = sum.operation == Operation::add;
      if (!adds && sum.operation != Operation::subtract) continue;
      const int a = sum.arguments[0], b = sum.arguments[1];
      if (a == b) continue;
      if (is_single_product(a)) {
        sum = {.operation = adds ? Operation::multiply_add : Operation::multiply_subtract,
               .arguments = {node(a).arguments[0], node(a).arguments[1], b, -1, -1}};
      } else if (is_single_product(b)) {
        sum = {.operation = adds ? Operation::multiply_add : Operation::subtract_product,
               .arguments = {node(b).arguments[0], node(b).arguments[1], a, -1, -1}};
      }
    }
  }

  /// Joins an operation with its first argument if nothing else needs this argument.
  void join_pairs() {
    for (Node& outer : nodes_) {
      if (outer.arguments[0] < 0 || uses_[outer.arguments[0]] != 1) continue;
      const Node& inner = node(outer.arguments[0]);
      const auto found = std::ranges::find_if(pairs, [&](const Pair& pair) {
        return pair.outer == outer.operation && pair.inner == inner.operation;
      });
      if (found == std::end(pairs)) continue;
      Node joined = inner;
      joined.operation = found->joined;
      int* next = std::ranges::find(joined.arguments, -1);
      for (int k = 1; k < 5 && outer.arguments[k] >= 0; ++k) *next++ = outer.arguments[k];
      outer = joined;
    }
  }

  std::int16_t new_register() {
    if (!free_.empty()) {
      const std::int16_t reused = free_.back();
      free_.pop_back();
      return reused;
    }
    if (program_.register_count == Program::most_registers)
      fail_too_long(Program::most_registers, "constants, names and intermediate results");
    return static_cast<std::int16_t>(program_.register_count++);
  }

  /// Gives a node a register that is filled before the instructions, unless an instruction computes the node.
  void load(int index) {
    if (register_of_.empty()) register_of_.assign(nodes_.size(), -1);
    const Node& loaded = node(index);
    if (loaded.operation == Operation::constant) {
      program_.constants[program_.constant_count++] = {loaded.value, new_register()};
    } else if (loaded.operation <= Operation::height) {
      if (program_.load_count == Program::most_loads)
        fail_too_long(Program::most_loads, "names and coordinates");
      program_.loads[program_.load_count++] = {loaded.operation, static_cast<std::int16_t>(loaded.name),
                                               new_register()};
    } else {
      return;
    }
    register_of_[index] = program_.register_count - 1;
  }

  void instruct(int index) {
    if (program_.instruction_count == Program::most_instructions)
      fail_too_long(Program::most_instructions, "operations");
    Program::Instruction& instruction = program_.instructions[program_.instruction_count++];
    instruction.operation = node(index).operation;
    for (int k = 0; k < 5; ++k) {
      const int argument = node(index).arguments[k];
      if (argument < 0) continue;
      const auto used = static_cast<std::size_t>(argument);
      instruction.arguments[k] = static_cast<std::int16_t>(register_of_[used]);
      const bool is_computed = node(argument).operation > Operation::height;
      if (--uses_[used] == 0 && is_computed) free_.push_back(static_cast<std::int16_t>(register_of_[used]));
    }
    instruction.to = new_register();
    register_of_[index] = instruction.to;
  }

  const Expression& expression_;
  std::optional<float> limit_;
  std::vector<Node> nodes_;
  std::vector<int> uses_;
  std::vector<int> register_of_;
  std::vector<std::int16_t> free_;
  Program program_;
};

}  // namespace

Program compile(const Expression& expression, std::optional<float> limit) {
  return Compiler(expression, limit).compile();
}

namespace {

std::span<const std::int16_t> arguments_of(const Step& step) {
  return {step.instruction.arguments, static_cast<std::size_t>(argument_count(step.instruction.operation))};
}

/// Returns whether a step after `step` reads its result from the register.
bool is_read(std::span<const Step> steps, std::size_t step) {
  const std::int16_t result = steps[step].instruction.to;
  for (std::size_t later = step + 1; later < steps.size(); ++later) {
    const auto arguments = arguments_of(steps[later]);
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (arguments[k] == result && (later > step + 1 || static_cast<int>(k) != steps[later].carried))
        return true;
    if (steps[later].instruction.to == result) return false;
  }
  return false;
}

}  // namespace

std::vector<Step> make_steps(const Program& program, ElementType type) {
  std::vector<Step> steps(static_cast<std::size_t>(program.instruction_count));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].instruction = program.instructions[i];
    const bool carries = is_elementwise(steps[i].instruction.operation) &&
                         (i + 1 < steps.size() || is_last_carried(program, type));
    if (i == 0 || !carries) continue;
    const auto arguments = arguments_of(steps[i]);
    const auto carried = std::ranges::find(arguments, steps[i - 1].instruction.to);
    if (carried != arguments.end()) steps[i].carried = static_cast<int>(carried - arguments.begin());
  }
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].is_kept = is_read(steps, i);
  return steps;
}

}  // namespace tessera::expressions::detail
