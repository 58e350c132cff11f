// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "domain/random.hpp"

namespace tessera::test {

/// The parts of a random stage body: indices first, then values, conditions and statements.
enum class Op {
  coordinate,
  number,
  loop_variable,
  plus,
  times,
  over,
  modulo,
  negative,
  sum,
  difference,
  product_of_coordinates,
  clamped,
  lesser,
  greater,
  absolute,
  selected,
  selected_by_data,
  gathered,
  gathered_byte,
  as_int,
  as_int_over,
  through_float,
  table_entry,
  read_plane,
  read_line,
  read_volume,
  read_through,
  weight,
  value_of_index,
  value_sum,
  value_product,
  value_clamped,
  value_root,
  value_selected,
  value_less,
  value_is_itself,
  index_less,
  index_equals,
  both,
  negation,
  add,
  branch,
  loop,
  loop_to_data,
  loop_to_index,
  sequence,
  count
};

struct Node {
  Op op;
  int first = 0;
  int second = 0;
  std::array<int, 3> children{};
};

/// Which constructs a generator takes.
enum class Grammar {
  /// One coordinate per index, affine: footprints are tight.
  affine,
  /// No choice depends on coordinates: most footprints have closed forms.
  closed,
  everything
};

/// Random bodies over boxes of 1 to 3 dimensions. `produced` counts what they are made of.
class Generator {
 public:
  Generator(Grammar grammar, std::uint64_t seed) : random_(seed), grammar_(grammar) {}

  /// A body: the root comes last.
  std::vector<Node> body(int dimensions) {
    nodes_.clear();
    dimensions_ = dimensions;
    const int first = statement(2);
    make(Op::sequence, 0, 0, {first, statement(1)});
    return nodes_;
  }
  Random& random() { return random_; }
  const std::array<int, static_cast<std::size_t>(Op::count)>& produced() const { return produced_; }

 private:
  int make(Op op, int first = 0, int second = 0, std::array<int, 3> children = {}) {
    ++produced_[static_cast<std::size_t>(op)];
    nodes_.push_back({op, first, second, children});
    return static_cast<int>(nodes_.size()) - 1;
  }

  int index(int depth) {
    if (depth == 0 || random_.chance(20)) return leaf();
    const int affine = 4, closed = 10, all = 19;
    const int most = grammar_ == Grammar::affine ? affine : grammar_ == Grammar::closed ? closed : all;
    const int kind = random_.small(0, most);
    return kind <= affine   ? affine_index(kind, depth - 1)
           : kind <= closed ? index_of_data(kind - affine, depth - 1)
                            : varying_index(kind - closed, depth - 1);
  }
  int affine_index(int kind, int depth) {
    const int inner = index(depth);
    if (kind == 0) return make(Op::plus, random_.small(-9, 9), 0, {inner});
    if (kind == 1) return make(Op::times, random_.small(-4, 4), 0, {inner});
    if (kind == 2) return make(Op::over, divisor(), 0, {inner});
    if (kind == 3) return make(Op::negative, 0, 0, {inner});
    return make(Op::as_int, random_.small(-5, 5), 0, {inner});
  }
  int index_of_data(int kind, int depth) {
    if (kind == 1) return make(Op::gathered, random_.small(-5, 0), random_.small(0, 5), {value(depth)});
    if (kind == 2) return make(Op::selected_by_data, 0, 0, {data_condition(0), index(depth), index(depth)});
    if (kind == 3) return make(Op::sum, 0, 0, {index(depth), index(0)});
    if (kind == 4) return make(Op::gathered_byte, 0, 0, {index(depth)});
    if (kind == 5) return make(Op::table_entry, 0, 0, {make(Op::gathered, -2, 9, {value(depth)})});
    return make(Op::as_int_over, divisor(), 0, {index(depth)});
  }
  int varying_index(int kind, int depth) {
    if (kind == 1) return make(Op::modulo, random_.small(1, 7), 0, {index(depth)});
    if (kind == 2) return make(Op::difference, 0, 0, {index(depth), index(depth)});
    if (kind == 3) return make(Op::clamped, random_.small(-9, 0), random_.small(0, 12), {index(depth)});
    if (kind == 4) return make(Op::lesser, 0, 0, {index(depth), index(depth)});
    if (kind == 5) return make(Op::greater, 0, 0, {index(depth), index(depth)});
    if (kind == 6) return make(Op::absolute, 0, 0, {index(depth)});
    if (kind == 7) return make(Op::selected, 0, 0, {condition(1), index(depth), index(depth)});
    if (kind == 8) return make(Op::product_of_coordinates, a_dimension(), a_dimension());
    return random_.chance(50) ? make(Op::through_float, 0, 0, {index(depth)})
                              : make(Op::table_entry, 0, 0, {index(depth)});
  }
  int leaf() {
    const int kind = random_.small(0, 9);
    if (kind == 0) return make(Op::number, random_.small(-9, 9));
    if (kind == 1) return make(Op::loop_variable);
    return make(Op::coordinate, a_dimension());
  }
  int a_dimension() { return random_.small(0, dimensions_ - 1); }
  int divisor() { return random_.chance(80) ? random_.small(1, 5) : -random_.small(1, 5); }

  int read(int depth) {
    switch (random_.small(0, grammar_ == Grammar::affine ? 2 : 3)) {
      case 0:
        return make(Op::read_plane, 0, 0, {index(depth), index(depth)});
      case 1:
        return make(Op::read_line, 0, 0, {index(depth)});
      case 2:
        return make(Op::read_volume, 0, 0, {index(depth), index(depth), index(depth)});
      default:
        return make(Op::read_through, 0, 0, {index(depth), index(depth)});
    }
  }
  int value(int depth) {
    if (depth <= 0 || grammar_ == Grammar::affine || random_.chance(40)) return read(depth < 0 ? 0 : depth);
    switch (random_.small(0, 6)) {
      case 0:
        return make(Op::value_sum, 0, 0, {value(depth - 1), value(depth - 1)});
      case 1:
        return make(Op::value_product, random_.small(-3, 3), 0, {value(depth - 1)});
      case 2:
        return make(Op::value_clamped, random_.small(-3, 0), random_.small(0, 9), {value(depth - 1)});
      case 3:
        return make(Op::value_root, 0, 0, {value(depth - 1)});
      case 4:
        return make(Op::value_selected, 0, 0, {data_condition(0), value(depth - 1), value(depth - 1)});
      case 5:
        return make(Op::weight, 0, 0, {index(0), make(Op::gathered, -1, 2, {value(depth - 1)})});
      default:
        return make(Op::value_of_index, 0, 0, {index(depth - 1)});
    }
  }

  int data_condition(int depth) {
    if (random_.chance(30)) return make(Op::value_is_itself, 0, 0, {read(depth)});
    return make(Op::value_less, 0, 0, {read(depth), read(depth)});
  }
  int condition(int depth) {
    if (grammar_ == Grammar::closed) return data_condition(0);
    switch (random_.small(0, depth == 0 ? 2 : 4)) {
      case 0:
        return data_condition(0);
      case 1:
        return make(Op::index_less, random_.small(-9, 9), 0, {index(1)});
      case 2:
        return make(Op::index_equals, random_.small(-9, 9), 0, {index(1)});
      case 3:
        return make(Op::both, 0, 0, {condition(0), condition(0)});
      default:
        return make(Op::negation, 0, 0, {condition(0)});
    }
  }

  int statement(int depth) {
    if (depth == 0 || random_.chance(40)) return make(Op::add, 0, 0, {value(2)});
    switch (random_.small(grammar_ == Grammar::affine ? 3 : 0, grammar_ == Grammar::everything ? 5 : 4)) {
      case 0:
      case 1:
        return make(Op::branch, 0, 0, {condition(1), statement(depth - 1), statement(depth - 1)});
      case 2:
        return make(Op::loop_to_data, 0, random_.small(0, 3), {read(1), statement(depth - 1)});
      case 3:
        return make(Op::loop, random_.small(0, 3), 0, {statement(depth - 1)});
      case 4:
        return make(Op::sequence, 0, 0, {statement(depth - 1), statement(depth - 1)});
      default:
        return make(Op::loop_to_index, 0, random_.small(0, 3), {index(1), statement(depth - 1)});
    }
  }

  Random random_;
  Grammar grammar_;
  int dimensions_ = 1;
  std::vector<Node> nodes_;
  std::array<int, static_cast<std::size_t>(Op::count)> produced_{};
};

}  // namespace tessera::test
