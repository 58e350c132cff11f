// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pipeline/mixed_graph.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace tessera::test {

template <class T, int N>
struct FormArray {
  using Value = T;
  static constexpr int dimensions = N;
};
template <Form>
struct FormOf;
// clang-format off
template <> struct FormOf<Form::row> : FormArray<float, 1> {};
template <> struct FormOf<Form::image> : FormArray<float, 2> {};
template <> struct FormOf<Form::volume> : FormArray<float, 3> {};
template <> struct FormOf<Form::levels> : FormArray<std::uint8_t, 2> {};
template <> struct FormOf<Form::lines_x> : FormArray<float, 3> {};
template <> struct FormOf<Form::lines_y> : FormArray<float, 3> {};
template <> struct FormOf<Form::histograms> : FormArray<std::int32_t, 3> {};
template <> struct FormOf<Form::lines_of_row> : FormArray<float, 2> {};
template <> struct FormOf<Form::colours> : FormArray<float, 3> {};
template <> struct FormOf<Form::mean> : FormArray<double, 1> {};
template <> struct FormOf<Form::extreme> : FormArray<float, 1> {};
template <> struct FormOf<Form::total> : FormArray<std::uint64_t, 1> {};
template <> struct FormOf<Form::counts> : FormArray<std::uint64_t, 1> {};
template <> struct FormOf<Form::sums> : FormArray<float, 1> {};
// clang-format on

/// The accessor of an array during plain evaluation.
template <class T>
struct PlainReader {
  PlainValues* plain;
  ArrayId array;

  template <class... Indices>
  T operator()(Indices... at) const {
    Point point;
    int d = 0;
    ((point[d++] = Coordinate(at).value), ...);
    return static_cast<T>(plain->value(array, point));
  }
  T zero() const { return T(0); }
};

template <class T>
struct PlainLine {
  std::vector<T> values;

  template <class Index>
  T& operator()(Index index) {
    return values.at(static_cast<std::size_t>(Coordinate(index).value));
  }
  void fill(T value) { std::fill(values.begin(), values.end(), value); }
  template <class ValueAt>
  void each(const ValueAt& value) {
    for (int i = 0; i < extent(); ++i) (*this)(i) = static_cast<T>(value(Coordinate(i)));
  }
  int extent() const { return static_cast<int>(values.size()); }
};

/// Adds stages of every kind to a graph, with the means to evaluate them plainly.
class MixedBuilder {
 public:
  MixedBuilder(MixedGraph& mixed, Random& source, bool exact_weights)
      : graph(mixed), random(source), exact(exact_weights) {}

  MixedGraph& graph;
  Random& random;
  bool exact;

  float weight() {
    return exact ? random.one_of<float>({0.5f, -0.5f, 0.25f, -2.0f}) : static_cast<float>(random.real(-1, 1));
  }
  bool has(Form form) const {
    return std::find(graph.forms.begin(), graph.forms.end(), form) != graph.forms.end();
  }
  /// An array of this form, mostly the last one.
  ArrayId pick(Form form) {
    std::vector<ArrayId> found;
    for (const ArrayId id : graph.forms.ids())
      if (graph.forms[id] == form) found.push_back(id);
    return random.chance(60) ? found.back() : random.one_of(found);
  }
  template <Form form>
  auto read() {
    const ArrayId id = pick(form);
    graph.is_read[id] = true;
    return Array<typename FormOf<form>::Value, FormOf<form>::dimensions>{id};
  }
  /// Any points that an array may have.
  Box some_points(ArrayId id) {
    const ArrayDeclaration& array = graph.pipeline[id];
    Box box = random.box(array.dimensions, -3, 3, array.dimensions == 3 ? 6 : 18);
    for (int d = 0; d < array.dimensions; ++d)
      if (const Range whole = array.whole[static_cast<std::size_t>(d)]; !whole.empty())
        box[d] = random.box_in(Box{whole})[0];
    return box;
  }
  std::string next_name() const {
    std::string name = "s";
    return name.append(std::to_string(graph.forms.size()));
  }

  /// An array was declared.
  void add(Form form, MixedGraph::Evaluate evaluate) {
    graph.forms.push_back(form);
    graph.evaluate.push_back(std::move(evaluate));
    graph.inputs.push_back({});
    graph.is_read.push_back(false);
  }

  template <Form out, class Body, class... Arrays>
  void add_stage(const Body& body, const Arrays&... inputs) {
    using T = typename FormOf<out>::Value;
    constexpr int dimensions = FormOf<out>::dimensions;
    graph.pipeline.stage<T, dimensions>(next_name(), body, inputs...);
    add(out, [=](PlainValues& plain, const Point& at, std::vector<double>& values) {
      values.push_back(
          static_cast<T>(at_point(body, plain, at, std::make_index_sequence<dimensions>{}, inputs...)));
    });
  }

  /// X points at a time.
  template <Form form, int X, class Body>
  void add_phases(const Body& body, Array<typename FormOf<form>::Value, FormOf<form>::dimensions> input) {
    graph.pipeline.phases<typename FormOf<form>::Value, X>(next_name(), body, input);
    add_units<form, X, 1>(body, input);
  }
  /// All planes, and X points of each, at a time.
  template <Form out, int Planes, int X, class Body, class Input>
  void add_planes(const Body& body, Input input) {
    graph.pipeline.planes<typename FormOf<out>::Value, FormOf<out>::dimensions, Planes, X>(next_name(), body,
                                                                                           input);
    add_units<out, X, Planes>(body, input);
  }

  /// Several outputs, all as large as the first input.
  template <Form... outs, class Body, class... Arrays>
  void add_stages(const Body& body, const Arrays&... inputs) {
    const std::string name = next_name();
    std::vector<std::string> names;
    for (std::size_t k = 0; k < sizeof...(outs); ++k) names.push_back(std::string(name).append(1, "abc"[k]));
    graph.pipeline.stages<TypeList<typename FormOf<outs>::Value...>>(names, body, inputs...);
    const MixedGraph::Evaluate evaluate = [=](PlainValues& plain, const Point& at,
                                              std::vector<double>& values) {
      store<outs...>(values, at_point(body, plain, at, std::make_index_sequence<2>{}, inputs...),
                     std::make_index_sequence<sizeof...(outs)>{});
    };
    (add(outs, evaluate), ...);
  }

  /// A stage with an extent that the compiler knows if `Known` is given.
  template <Form out, int D, int Known = 0, class Body, class... Arrays>
  void add_columns(const Body& body, int extent, const Arrays&... inputs) {
    using T = typename FormOf<out>::Value;
    constexpr int dimensions = FormOf<out>::dimensions;
    if constexpr (Known > 0)
      graph.pipeline.lines<T, dimensions, D, Known>(next_name(), body, inputs...);
    else
      graph.pipeline.columns<T, dimensions, D>(next_name(), body, extent, inputs...);
    add(out, [=](PlainValues& plain, const Point& at, std::vector<double>& values) {
      Point others;
      for (int d = 0, e = 0; d < dimensions; ++d)
        if (d != D) others[e++] = at[d];
      PlainLine<T> line{std::vector<T>(static_cast<std::size_t>(extent), T(0))};
      const auto bound = [&](const auto&... arguments) {
        body(line, arguments...);
        return 0;
      };
      at_point(bound, plain, others, std::make_index_sequence<dimensions - 1>{}, inputs...);
      values.assign(line.values.begin(), line.values.end());
    });
  }

  /// Without a box: the domain of the first input.
  template <Form out, class Reduction, int N, class... T>
  void add_reduction(Reduction, const Box& over, Array<T, N>... inputs) {
    graph.pipeline.reduce(next_name(), Reduction(), over, inputs...);
    add_copies(inputs...);
    const Box points =
        over.dimensions == 0 ? graph.pipeline[std::get<0>(std::tuple(inputs...)).id].domain : over;
    add(out, [=](PlainValues& plain, const Point&, std::vector<double>& values) {
      typename Reduction::Value value;
      Reduction().init(value);
      for_each_point(points, [&](const Point& p) {
        Reduction().add(value, static_cast<T>(plain.value(inputs.id, p))..., p);
      });
      append(values, Reduction().result(value));
    });
  }
  /// A reduction into `count` groups.
  template <Form out, class Reduction, class Key, int N, class... T>
  void add_reduction_by_key(Reduction, int count, const Box& over, Array<Key, N> keys,
                            Array<T, N>... inputs) {
    graph.pipeline.reduce_by_key(next_name(), Reduction(), count, over, keys, inputs...);
    add_copies(keys, inputs...);
    add(out, [=](PlainValues& plain, const Point&, std::vector<double>& values) {
      for (int group = 0; group < count; ++group) {
        typename Reduction::Value value;
        Reduction().init(value);
        for_each_point(over, [&](const Point& p) {
          if (plain.value(keys.id, p) == group)
            Reduction().add(value, static_cast<T>(plain.value(inputs.id, p))..., p);
        });
        append(values, Reduction().result(value));
      }
    });
  }

 private:
  template <class Result>
  static void append(std::vector<double>& values, const Result& result) {
    if constexpr (std::is_arithmetic_v<Result>)
      values.push_back(static_cast<double>(result));
    else
      values.insert(values.end(), result.begin(), result.end());
  }

  /// A reduction was declared. If its inputs are not outputs of one stage, copies of them were, too.
  template <class... T, int N>
  void add_copies(Array<T, N>... inputs) {
    if (graph.pipeline.size() == graph.forms.size() + 1) return;
    const MixedGraph::Evaluate evaluate = [=](PlainValues& plain, const Point& at,
                                              std::vector<double>& values) {
      (values.push_back(plain.value(inputs.id, at)), ...);
    };
    for (const ArrayId input : {inputs.id...}) {
      add(graph.forms[input], evaluate);
      graph.is_read.back() = true;
    }
  }

  template <Form out, int X, int Planes, class Body, class Input>
  void add_units(const Body& body, Input input) {
    constexpr int dimensions = Unit<X, Planes>::template dimensions<FormOf<out>::dimensions>;
    add(out, [=](PlainValues& plain, const Point& at, std::vector<double>& values) {
      Point unit = at;
      unit[0] = floor_divide<std::int64_t>(at[0], X);
      const auto packed = at_point(body, plain, unit, std::make_index_sequence<dimensions>{}, input);
      const auto phase = static_cast<std::size_t>(at[0] - unit[0] * X);
      const auto all = every_value<out>(packed, std::make_index_sequence<std::size_t(X * Planes)>{});
      for (std::size_t plane = 0; plane < std::size_t(Planes); ++plane)
        values.push_back(all[plane * std::size_t(X) + phase]);
    });
  }
  template <Form out, class Packed, std::size_t... K>
  static std::vector<double> every_value(const Packed& packed, std::index_sequence<K...>) {
    return {static_cast<typename FormOf<out>::Value>(get<K>(packed))...};
  }

  template <class Body, std::size_t... D, class... T, int... N>
  static auto at_point(const Body& body, PlainValues& plain, const Point& at, std::index_sequence<D...>,
                       const Array<T, N>&... inputs) {
    return body(PlainReader<T>{&plain, inputs.id}..., Coordinate(static_cast<int>(at[D]))...);
  }
  template <Form... outs, class Packed, std::size_t... K>
  static void store(std::vector<double>& values, const Packed& packed, std::index_sequence<K...>) {
    (values.push_back(static_cast<typename FormOf<outs>::Value>(get<K>(packed))), ...);
  }
};

/// Adds a stage of a random kind.
void add_random_stage(MixedBuilder& builder);

}  // namespace tessera::test
