// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "bounded_steps.hpp"
#include "exponents.hpp"
#include "given.hpp"
#include "seeding.hpp"
#include "stages.hpp"
#include "steps.hpp"

namespace kmeans {

/// The settings that a deck gives.
struct Task {
  /// The number of clusters.
  int clusters = 8;
  /// The seed of the random numbers by which the first centres are taken.
  std::int64_t seed = 1;
  /// The greatest number of turns.
  std::int64_t turns = 300;
  /// The turns end when no centre moves by more than this.
  double tolerance = 0;
  /// The way in which distances are computed.
  Distances distances = Distances::fused;
  /// The way to find out that a point keeps its centre. With bounds, distances must be `fused`.
  Bounds bounds = Bounds::none;
  /// The type of the first centres, if a file gives them.
  std::optional<ElementType> given = {};
  /// The names of the files of the points and the first centres, for messages.
  std::string points_file = {};
  std::string centres_file = {};
  /// Whether the labels are the only result, as in benchmarks of the turns.
  bool has_labels_only = false;
};

namespace detail {

/// Adds the stages that take the first centres from a file of type G.
template <class T, class G>
Array<T, 1> add_given(Pipeline& pipeline, const Task& task, int dimensions) {
  const int clusters = task.clusters;
  const auto start = pipeline.input<G, 2>("start", {{0, dimensions}, {0, clusters}});
  const auto given =
      pipeline.library_reduction<1>("given", Given<T, G>{clusters, dimensions, task.centres_file},
                                    clusters * dimensions, {{0, clusters}}, start);
  // Loops feed values, and not results of reductions.
  return pipeline.values<T>("first_centres", Same(), clusters * dimensions, given);
}

/// Adds the loop that takes the first centres by k-means++, and returns them.
template <class In, int N, int P>
Array<NumberOf<In>, 1> add_seeding(Pipeline& pipeline, const Problem<N, P>& problem, const Task& task,
                                   Array<In, N> points, Array<std::int32_t, 1> exponents) {
  using T = NumberOf<In>;
  const int clusters = problem.clusters, dimensions = problem.dimensions();
  const Box& box = problem.layout.points;
  const Array<T, P> nearest = pipeline.stage<T, P>("no_distance", NoDistance<T>());
  pipeline.bound(nearest, box, {});
  const auto seeds = pipeline.values<T>("seeds", Zero<T>(), clusters * dimensions);
  const auto turn = pipeline.value<std::int32_t>("turn", Zero<std::int32_t>());
  pipeline.repeat("seeding", clusters, [&](const Pipeline::Loop& loop) {
    const auto taken = pipeline.library_reduction<P>("taken", Draw<In, N, P>{problem, task.seed}, dimensions,
                                                     box, points, nearest, turn);
    const auto closer = pipeline.library_stage<T, P>("closer", Closer<In, N, P>{problem}, {}, points, nearest,
                                                     taken, exponents);
    pipeline.bound(closer, box, {});
    const auto more =
        pipeline.values<T>("more_seeds", WithTaken<T>{dimensions}, clusters * dimensions, seeds, taken, turn);
    loop.feed(closer, nearest);
    loop.feed(more, seeds);
    loop.feed(pipeline.value<std::int32_t>("next_turn", Next(), turn), turn);
  });
  return pipeline.values<T>("seeded", Same(), clusters * dimensions, seeds);
}

/// Adds the means of the clusters as the next centres, and the end of the turns when no centre moves.
template <class T>
void add_move(Pipeline& pipeline, const Pipeline::Loop& loop, const Task& task, int dimensions,
              Array<T, 1> centres, Array<double, 1> sums) {
  const int clusters = task.clusters;
  const auto moved =
      pipeline.values<T>("moved", Moved<T>{clusters, dimensions}, clusters * dimensions, centres, sums);
  const auto movement = pipeline.value<double>("movement", Movement{clusters, dimensions}, moved, centres);
  loop.feed(moved, centres);
  loop.watch(movement);
  loop.until(pipeline.value<std::uint8_t>("done", IsDone{task.tolerance}, movement));
}

/// Adds the loop that moves the centres, which `centres` has afterwards. Returns the labels.
template <class In, int N, int P>
Array<std::int32_t, P> add_turns(Pipeline& pipeline, const Problem<N, P>& problem, const Task& task,
                                 Array<In, N> points, Array<NumberOf<In>, 1> centres,
                                 Array<std::int32_t, 1> exponents) {
  const int clusters = problem.clusters, dimensions = problem.dimensions();
  pipeline.repeat("lloyd", task.turns, [&](const Pipeline::Loop& loop) {
    const auto sums =
        pipeline.library_reduction<P>("sums", SumClusters<In, N, P>{problem}, clusters * (dimensions + 1),
                                      problem.layout.points, points, centres, exponents);
    add_move(pipeline, loop, task, dimensions, centres, sums);
  });
  return pipeline.library_stage<std::int32_t, P>("labels", Label<In, N, P>{problem}, {}, points, centres,
                                                 exponents);
}

/// Adds the loop as `add_turns` does, with bounds that leave out searches. Its state has the bounds of all
/// points, the centres to which they belong, and the sums of the clusters.
template <class In, int N, int P>
Array<std::int32_t, P> add_bounded_turns(Pipeline& pipeline, const Problem<N, P>& problem, const Task& task,
                                         Array<In, N> points, Array<NumberOf<In>, 1> centres,
                                         Array<std::int32_t, 1> exponents) {
  using T = NumberOf<In>;
  const int clusters = problem.clusters, dimensions = problem.dimensions();
  const Box& box = problem.layout.points;
  const FindMoves<T> find_moves{clusters, dimensions};
  const Array<std::uint64_t, P> known = pipeline.stage<std::uint64_t, P>("unknown_bounds", UnknownBounds());
  pipeline.bound(known, box, {});
  const auto before = pipeline.values<T>("centres_before", Same(), clusters * dimensions, centres);
  const int count = Totals<In, N, P>{problem}.count();
  const auto totals = pipeline.values<std::int64_t>("no_totals", Zero<std::int64_t>(), count);
  pipeline.repeat("lloyd", task.turns, [&](const Pipeline::Loop& loop) {
    const auto moves = pipeline.library_reduction<1>("moves", find_moves, find_moves.count(), {{0, clusters}},
                                                     centres, before, exponents);
    const auto bounds =
        pipeline.library_stage<std::uint64_t, P>("bounds", SearchWithBounds<In, N, P, std::uint64_t>{problem},
                                                 {}, points, known, centres, moves, exponents);
    pipeline.bound(bounds, box, {});
    const auto changes = pipeline.library_reduction<P>("changes", SumChanges<In, N, P>{{problem}}, count, box,
                                                       points, bounds, known, exponents);
    const auto changed = pipeline.values<std::int64_t>("totals", Plus(), count, totals, changes);
    const RoundTotals<In, N, P> rounded{problem};
    const auto sums =
        pipeline.library_reduction<1>("sums", rounded, rounded.count(), {{0, clusters}}, changed, exponents);
    add_move(pipeline, loop, task, dimensions, centres, sums);
    loop.feed(centres, before);
    loop.feed(bounds, known);
    loop.feed(changed, totals);
  });
  if (!task.has_labels_only) pipeline.output(pipeline.value<std::int64_t>("searched_points", Same(), totals));
  const auto moves = pipeline.library_reduction<1>("last_moves", find_moves, find_moves.count(),
                                                   {{0, clusters}}, centres, before, exponents);
  return pipeline.library_stage<std::int32_t, P>("labels", SearchWithBounds<In, N, P, std::int32_t>{problem},
                                                 {}, points, known, centres, moves, exponents);
}

/// Adds the numbers of points of the clusters, the sum of squared distances, the number of empty clusters,
/// and the centres as rows.
template <class In, int N, int P>
void add_summary(Pipeline& pipeline, const Problem<N, P>& problem, Array<In, N> points,
                 Array<std::int32_t, P> labels, Array<NumberOf<In>, 1> centres) {
  using T = NumberOf<In>;
  const int clusters = problem.clusters, dimensions = problem.dimensions();
  const Box& box = problem.layout.points;
  const auto counts = pipeline.reduce_by_key("counts", Count<std::int32_t>(), clusters, box, labels);
  const Array<T, 2> rows = pipeline.stage<T, 2>("centres", Rows{dimensions}, centres);
  pipeline.bound(rows, {{0, dimensions}, {0, clusters}}, {});
  const auto inertia =
      pipeline.library_reduction<P>("inertia", SumDistances<In, N, P>{problem}, 1, box, points, labels, rows);
  pipeline.output(inertia);
  pipeline.output(pipeline.value<std::int32_t>("empty_clusters", EmptyOnes{clusters}, counts));
  const UsesGemm uses_gemm{problem.distances == Distances::gemm ? 1 : 0};
  pipeline.output(pipeline.value<std::int32_t>("distances_by_gemm", uses_gemm, counts));
}

}  // namespace detail

/// Returns the pipeline for points in an array of N dimensions, of which the points take P (see Layout). The
/// result is `labels` if P is 1, and otherwise `picture`.
template <class In, int N, int P>
Pipeline make_pipeline(const Box& domain, const Task& task) {
  using T = NumberOf<In>;
  const Problem<N, P> problem{Layout<N, P>::of(domain), task.clusters, task.distances};
  const int clusters = task.clusters, dimensions = problem.dimensions();
  const Box& box = problem.layout.points;
  Pipeline pipeline;
  const auto points = pipeline.input<In, N>("input", domain);
  const auto exponents = pipeline.library_reduction<P>(
      "exponents", FindExponents<In, N, P>{problem.layout, task.points_file}, 2, box, points);
  Array<T, 1> centres{};
  if (!task.given)
    centres = detail::add_seeding<In, N, P>(pipeline, problem, task, points, exponents);
  else if (*task.given == ElementType::float64)
    centres = detail::add_given<T, double>(pipeline, task, dimensions);
  else
    centres = detail::add_given<T, float>(pipeline, task, dimensions);
  const auto labels =
      task.bounds == Bounds::hamerly
          ? detail::add_bounded_turns<In, N, P>(pipeline, problem, task, points, centres, exponents)
          : detail::add_turns<In, N, P>(pipeline, problem, task, points, centres, exponents);
  if (!task.has_labels_only) detail::add_summary<In, N, P>(pipeline, problem, points, labels, centres);
  if constexpr (P == 1)
    pipeline.output(labels, box);
  else
    pipeline.output(pipeline.stage<In, N>("picture", Paint<In>{clusters, dimensions}, labels, centres),
                    domain);
  return pipeline;
}

/// Returns the greatest number of clusters whose sums take less than 2 GiB, which is what a global reduction
/// may take. `type` is the type of the coordinates.
std::int64_t most_clusters(ElementType type, std::int64_t points, std::int64_t dimensions, Bounds bounds);

/// Returns the pipeline for a data set of rows of coordinates.
Pipeline rows_pipeline(ElementType type, const Box& domain, const Task& task);
/// Returns the pipeline for a picture, whose pixels are points.
Pipeline pixels_pipeline(ElementType type, const Box& domain, const Task& task);

}  // namespace kmeans
