// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pipeline/grammar.hpp"
#include "tessera/pipeline/body/table.hpp"
#include "tessera/pipeline/body/via.hpp"

namespace tessera::test {

/// The view of a plane that the random bodies have through `via`.
struct Neighbours {
  template <class In, class Coord>
  auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - 1, y) * 0.5f + in(x, y + 2);
  }
};

/// One evaluation of a body that Generator made, on numbers or on intervals.
template <class Index, class Plane, class Line, class Volume>
class Evaluation {
 public:
  using Value = decltype(cast<float>(std::declval<Index>()));

  Evaluation(const std::vector<Node>& nodes, const Index* at, const Plane& plane, const Line& line,
             const Volume& volume)
      : nodes_(nodes), at_(at), plane_(plane), line_(line), volume_(volume), sum_(plane.zero()) {}

  Value result() {
    run(static_cast<int>(nodes_.size()) - 1);
    return sum_;
  }

 private:
  const Node& node(int number) const { return nodes_[static_cast<std::size_t>(number)]; }
  Index index_of(const Node& n, int child) { return index(n.children[static_cast<std::size_t>(child)]); }
  Value value_of(const Node& n, int child) { return value(n.children[static_cast<std::size_t>(child)]); }
  auto condition_of(const Node& n, int child) {
    return condition(n.children[static_cast<std::size_t>(child)]);
  }

  /// With the tape of inference.
  template <class Number>
  Index as_index(const Number& number) const {
    Index result = at_[0];
    result = number;
    return result;
  }

  Index index(int number) {
    const Node& n = node(number);
    switch (n.op) {
      case Op::coordinate:
        return at_[n.first];
      case Op::number:
        return as_index(n.first);
      case Op::loop_variable:
        return as_index(loop_);
      case Op::plus:
        return index_of(n, 0) + n.first;
      case Op::times:
        return n.first * index_of(n, 0);
      case Op::over:
        return index_of(n, 0) / n.first;
      case Op::modulo:
        return index_of(n, 0) % n.first;
      case Op::negative:
        return -index_of(n, 0);
      case Op::sum:
        return index_of(n, 0) + index_of(n, 1);
      case Op::difference:
        return index_of(n, 0) - index_of(n, 1);
      case Op::product_of_coordinates:
        return at_[n.first] * at_[n.second];
      case Op::clamped:
        return clamp(index_of(n, 0), n.first, n.second);
      case Op::lesser:
        return tessera::min(index_of(n, 0), index_of(n, 1));
      case Op::greater:
        return tessera::max(index_of(n, 0), index_of(n, 1));
      case Op::absolute:
        return tessera::abs(index_of(n, 0));
      default:
        return chosen_index(n);
    }
  }
  Index chosen_index(const Node& n) {
    switch (n.op) {
      case Op::selected:
      case Op::selected_by_data:
        return select(condition_of(n, 0), index_of(n, 1), index_of(n, 2));
      case Op::gathered:
        return as_index(cast<int>(clamp(value_of(n, 0), cast<float>(n.first), cast<float>(n.second))));
      case Op::gathered_byte:
        return as_index(cast<int>(line_(index_of(n, 0))));
      case Op::as_int:
        return as_index(cast<int>(index_of(n, 0)) + n.first);
      case Op::as_int_over:
        return as_index(cast<int>(index_of(n, 0)) / n.first);
      case Op::through_float:
        return as_index(cast<int>(tessera::floor(cast<float>(index_of(n, 0)) * 0.5f)));
      default:
        return as_index(offsets_(clamp(index_of(n, 0), 0, 4)));
    }
  }

  Value value(int number) {
    const Node& n = node(number);
    switch (n.op) {
      case Op::read_plane:
        return plane_(index_of(n, 0), index_of(n, 1));
      case Op::read_line:
        return cast<float>(line_(index_of(n, 0)));
      case Op::read_volume:
        return cast<float>(volume_(index_of(n, 0), index_of(n, 1), index_of(n, 2)));
      case Op::read_through:
        return via(Neighbours{}, plane_)(index_of(n, 0), index_of(n, 1));
      case Op::weight:
        return plane_.zero() + weights_(index_of(n, 0) % 3, clamp(index_of(n, 1), 0, 1));
      case Op::value_of_index:
        return cast<float>(index_of(n, 0));
      case Op::value_sum:
        return value_of(n, 0) + value_of(n, 1);
      case Op::value_product:
        return value_of(n, 0) * cast<float>(n.first);
      case Op::value_clamped:
        return clamp(value_of(n, 0), cast<float>(n.first), cast<float>(n.second));
      case Op::value_root:
        return tessera::sqrt(tessera::max(tessera::abs(value_of(n, 0)), 0.25f));
      default:
        return select(condition_of(n, 0), value_of(n, 1), value_of(n, 2));
    }
  }

  auto condition(int number) -> decltype(std::declval<Index>() < std::declval<Index>()) {
    const Node& n = node(number);
    switch (n.op) {
      case Op::value_less:
        return value_of(n, 0) < value_of(n, 1);
      case Op::index_less:
        return index_of(n, 0) < n.first;
      case Op::index_equals:
        return index_of(n, 0) == n.first;
      case Op::both:
        return condition_of(n, 0) && condition_of(n, 1);
      case Op::negation:
        return !condition_of(n, 0);
      default: {
        const Value one = value_of(n, 0);
        return one == one;
      }
    }
  }

  void run(int number) {
    const Node& n = node(number);
    switch (n.op) {
      case Op::add:
        sum_ += value_of(n, 0);
        return;
      case Op::branch:
        if (condition_of(n, 0))
          run(n.children[1]);
        else
          run(n.children[2]);
        return;
      case Op::loop:
        run_to(n.first, n.children[0]);
        return;
      case Op::loop_to_data:
        run_to(cast<int>(clamp(value_of(n, 0), 0.0f, cast<float>(n.second))), n.children[1]);
        return;
      case Op::loop_to_index:
        run_to(clamp(index_of(n, 0), 0, n.second), n.children[1]);
        return;
      default:
        run(n.children[0]), run(n.children[1]);
    }
  }
  template <class End>
  void run_to(const End& end, int statement) {
    const int outer = loop_;
    for (int i = 0; i < end; ++i) {
      loop_ = i;
      run(statement);
    }
    loop_ = outer;
  }

  const std::vector<Node>& nodes_;
  const Index* at_;
  const Plane& plane_;
  const Line& line_;
  const Volume& volume_;
  Value sum_;
  int loop_ = 0;
  Table<int, 5> offsets_{{4, -6, 0, 11, 2}};
  Table<float, 3, 2> weights_{{{1, -2, 4}, {0, 3, 9}}};
};

/// A body that Generator made, of a plane, a line and a volume.
struct RandomBody {
  std::vector<Node> nodes;

  template <class Plane, class Line, class Volume, class First, class... Rest>
  auto operator()(const Plane& plane, const Line& line, const Volume& volume, First first,
                  Rest... rest) const {
    const First at[] = {first, rest...};
    return Evaluation<First, Plane, Line, Volume>(nodes, at, plane, line, volume).result();
  }
};

}  // namespace tessera::test
