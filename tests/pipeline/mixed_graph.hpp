// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <unordered_map>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::test {

class PlainValues;

/// The use of an array of a mixed graph.
enum class Form : std::uint8_t {
  row,           ///< float, 1-D
  image,         ///< float, 2-D
  volume,        ///< float, 3-D
  levels,        ///< uint8 of 0 to 15, 2-D
  lines_x,       ///< float, 3-D, lines of 5 along x
  lines_y,       ///< float, 3-D, lines of 4 along y
  histograms,    ///< int32, 3-D, lines of 16 along z
  lines_of_row,  ///< float, 2-D, lines of 6 along x
  colours,       ///< float, 3-D, 3 planes
  mean,          ///< double, a result
  extreme,       ///< float, a result
  total,         ///< uint64, a result
  counts,        ///< uint64, a result of 16
  sums           ///< float, a result of 9
};

/// A random pipeline of stages of many kinds, which can be evaluated by plain recursion. Values are kept as
/// doubles, which hold all that its arrays do exactly.
struct MixedGraph {
  /// Writes the values of all outputs of a stage at a point, or of a line at the point where it begins.
  using Evaluate = std::function<void(PlainValues&, const Point&, std::vector<double>&)>;

  Pipeline pipeline;
  /// By array.
  IdVector<ArrayId, Form> forms;
  /// By array; set for stages, at their first outputs.
  IdVector<ArrayId, Evaluate> evaluate;
  /// By array; empty for stages.
  IdVector<ArrayId, WholeArray<double>> inputs;
  IdVector<ArrayId, bool> is_read;
  /// Kinds of stages, for messages.
  std::string text;

  /// The points of an output; of a reduction its result.
  Box output_box(ArrayId array) const { return pipeline[array].domain; }
};

/// `exact`: all weights are powers of two. With `stages` declarations but the inputs.
MixedGraph random_mixed_graph(Random& random, bool exact, int stages);

/// The value of any point of any array, by recursion, without anything that plans or executes.
class PlainValues {
 public:
  explicit PlainValues(const MixedGraph& graph) : graph_(graph), known_(graph.forms.values().size()) {}

  double value(ArrayId array, const Point& point);

 private:
  double input_value(ArrayId array, Point point) const;

  const MixedGraph& graph_;
  IdVector<ArrayId, std::unordered_map<std::int64_t, double>> known_;
};

/// Gives the pixels of an input, whatever its type.
class MixedSource final : public BlockSource {
 public:
  explicit MixedSource(const WholeArray<double>& array) : array_(&array) {}
  void read(const HostBlock& block) override;

 private:
  const WholeArray<double>* array_;
};

/// Gathers an output of any type and counts how often each point was written.
class MixedSink final : public BlockSink {
 public:
  explicit MixedSink(const Box& box) : array(box), writes(box) {}
  void write(const HostBlock& block) override;

  WholeArray<double> array;
  WholeArray<int> writes;
};

/// Sources and sinks of a graph: run something with `bindings` and look at `sinks`.
struct MixedBindings {
  explicit MixedBindings(const MixedGraph& graph);
  MixedBindings(const MixedBindings&) = delete;

  std::vector<std::unique_ptr<MixedSource>> sources;
  /// By array; null for all but outputs.
  IdVector<ArrayId, std::unique_ptr<MixedSink>> sinks;
  Bindings bindings;
};

/// Any placement, grid and tile that every stage may have, overlap and slices.
Schedule random_mixed_schedule(Random& random, const Algorithm& pipeline, int ranks);

}  // namespace tessera::test
