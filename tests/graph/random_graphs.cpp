// SPDX-License-Identifier: BSD-3-Clause
#include "random_graphs.hpp"

namespace tessera::graph_test {
namespace {

using Kind = Shape::Kind;

Number mix(Number a, Number b) {
  Number bits = (a ^ (b * 0x9E3779B97F4A7C15U)) + 0x632BE59BD9B4E019U;
  bits = (bits ^ (bits >> 29)) * 0xBF58476D1CE4E5B9U;
  return bits ^ (bits >> 32);
}

bool is_dropped(Number value, Number salt) { return mix(value, salt) % 7 == 0; }
bool ends_loop(Number value, Number salt) { return mix(value, salt) % 3 == 0; }
int parts_of(Number value, Number salt) { return static_cast<int>(mix(value, salt) % 5); }
Number part_of(Number value, int part) { return mix(value, static_cast<Number>(part) + 17); }

/// The state of each tally and pair, by its salt.
using States = std::vector<std::pair<Number, Number>>;

Number& state_of(States& states, Number salt) {
  for (auto& [key, state] : states)
    if (key == salt) return state;
  return states.emplace_back(salt, Number(0)).second;
}

std::optional<Number> plain(const Shape& shape, Number value, States& states);

Number plain_scatter(const Shape& shape, Number value, States& states) {
  Number all = shape.salt;
  for (int part = 0; part < parts_of(value, shape.salt); ++part)
    if (const auto made = plain(shape.children[0], part_of(value, part), states)) all = mix(all, *made);
  return all;
}

std::optional<Number> plain_loop(const Shape& shape, Number value, States& states) {
  for (int turn = 0; turn < shape.count; ++turn) {
    const auto made = plain(shape.children[0], value, states);
    if (!made) return std::nullopt;
    value = *made;
    if (ends_loop(value, shape.salt)) break;
  }
  return value;
}

std::optional<Number> plain_pair(const Shape& shape, Number value, States& states) {
  const auto first = plain(shape.children[0], value, states),
             second = plain(shape.children[1], value, states);
  Number& state = state_of(states, shape.salt);
  if (first) state = mix(state, *first);
  if (!second) return std::nullopt;
  return state = mix(state, *second + 1);
}

std::optional<Number> plain(const Shape& shape, Number value, States& states) {
  switch (shape.kind) {
    case Kind::hash:
      return mix(value, shape.salt);
    case Kind::filter:
      return is_dropped(value, shape.salt) ? std::nullopt : std::optional(value);
    case Kind::chain: {
      std::optional<Number> made = value;
      for (const Shape& child : shape.children)
        if (made) made = plain(child, *made, states);
      return made;
    }
    case Kind::diamond: {
      const auto first = plain(shape.children[0], value, states),
                 second = plain(shape.children[1], value, states);
      return first && second ? std::optional(mix(*first, *second)) : std::nullopt;
    }
    case Kind::loop:
      return plain_loop(shape, value, states);
    case Kind::scatter:
      return plain_scatter(shape, value, states);
    case Kind::held: {
      const auto made = plain(shape.children[0], value, states);
      return made ? std::optional(mix(value, *made)) : std::nullopt;
    }
    case Kind::tally: {
      Number& state = state_of(states, shape.salt);
      return state = mix(state, value);
    }
    case Kind::pair:
      return plain_pair(shape, value, states);
  }
  return std::nullopt;
}

/// The state of `tally`, and of `pair`, whose second input emits.
struct Tally {
  Number state = 0;
  void operator()(Number value, graph::Out<Number>& out) { out(state = mix(state, value)); }
};
struct First {
  Number value;
};
struct PairTally {
  Number state = 0;
  void operator()(First first, graph::Out<Number>&) { state = mix(state, first.value); }
  void operator()(Number second, graph::Out<Number>& out) { out(state = mix(state, second + 1)); }
};

}  // namespace

Shape random_shape(std::mt19937_64& random, int depth, bool is_outermost) {
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<Number>(end)); };
  const auto child = [&] { return random_shape(random, depth - 1, false); };
  const Number salt = random();
  if (is_outermost) {
    Shape chain{.kind = Kind::chain, .salt = salt};
    for (int length = 1 + below(3); length > 0; --length) {
      chain.children.push_back(random_shape(random, depth, false));
      if (below(3) == 0) chain.children.push_back({.kind = Kind::tally, .salt = random()});
      if (below(3) == 0) chain.children.push_back({Kind::pair, random(), 1, {child(), child()}});
    }
    return chain;
  }
  if (depth <= 0) return {.kind = below(4) == 0 ? Kind::filter : Kind::hash, .salt = salt};
  switch (below(6)) {
    case 0:
      return {Kind::diamond, salt, 1, {child(), child()}};
    case 1:
      return {Kind::loop, salt, 1 + below(5), {child()}};
    case 2:
      return {Kind::scatter, salt, 1, {child()}};
    case 3:
      return {Kind::held, salt, 1 + below(3), {child()}};
    default:
      return {Kind::chain, salt, 1, {child(), child()}};
  }
}

std::vector<Number> plain_results(const Shape& shape, int count) {
  std::vector<Number> results;
  States states;
  // Shapes with states stand in the outermost chain, so that going item by item gives the states in order.
  for (int item = 0; item < count; ++item)
    if (const auto made = plain(shape, static_cast<Number>(item), states)) results.push_back(*made);
  return results;
}

ShapedGraph::ShapedGraph(const Shape& shape, int count) {
  const auto numbers = graph_.source("count", {}, [count](std::int64_t i) {
    return i < count ? std::optional(static_cast<Number>(i)) : std::nullopt;
  });
  graph_.sink(
      "write", {.order = graph::Order::stamp}, [this](Number value) { results_.push_back(value); },
      add(shape, numbers));
}

graph::Flow<Number> ShapedGraph::add(const Shape& shape, graph::Flow<Number> flow) {
  using graph::Flow, graph::Lease, graph::Order, graph::Out;
  const Number salt = shape.salt;
  switch (shape.kind) {
    case Kind::hash:
      return graph_.task(
          name("hash"), {}, [salt](Number v) { return mix(v, salt); }, flow);
    case Kind::filter:
      return graph_.task(
          name("filter"), {.workers = 2},
          [salt](Number v) { return is_dropped(v, salt) ? std::nullopt : std::optional(v); }, flow);
    case Kind::chain:
      for (const Shape& child : shape.children) flow = add(child, flow);
      return flow;
    case Kind::diamond: {
      const auto first = add(shape.children[0], flow), second = add(shape.children[1], flow);
      return graph_.task(
          name("join"), {}, [](Number a, Number b) { return mix(a, b); }, first, second);
    }
    case Kind::loop:
      return graph_.loop(
          name("loop"), {.most = shape.count}, flow,
          [&](Flow<Number> turn) { return add(shape.children[0], turn); },
          [salt](const Number& v) { return ends_loop(v, salt); });
    case Kind::scatter: {
      const auto parts = graph_.scatter<Number>(
          name("split"), {},
          [salt](Number v, Out<Number>& out) {
            for (int part = 0; part < parts_of(v, salt); ++part) out(part_of(v, part));
          },
          flow);
      const auto gathered = graph_.gather(name("gather"), add(shape.children[0], parts));
      return graph_.task(
          name("fold"), {.workers = 1},
          [salt](const std::vector<Number>& parts_made) {
            Number all = salt;
            for (const Number part : parts_made) all = mix(all, part);
            return all;
          },
          gathered);
    }
    case Kind::held: {
      const graph::Pool<Number> pool(graph_, name("pool"), {.count = shape.count}, [] { return Number(0); });
      const auto held = graph_.task(
          name("hold"), {},
          [](Number v, Lease<Number> to) {
            *to = v;
            return to;
          },
          flow, pool);
      const auto made = add(shape.children[0], flow);
      return graph_.task(
          name("let go"), {}, [](const Lease<Number>& lease, Number v) { return mix(*lease, v); }, held,
          made);
    }
    case Kind::tally:
      return graph_.keeper<Number>(name("tally"), {.order = Order::stamp, .single = true}, Tally{}, flow);
    case Kind::pair: {
      const auto first = graph_.task(
          name("first"), {}, [](Number v) { return First{v}; }, add(shape.children[0], flow));
      return graph_.keeper<Number>(name("pair"), {.order = Order::stamp, .single = true}, PairTally{}, first,
                                   add(shape.children[1], flow));
    }
  }
  return flow;
}

}  // namespace tessera::graph_test
