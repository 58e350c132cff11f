// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "first_steps.hpp"
#include "stages.hpp"

namespace kmeans {

/// The ways to find out that a point keeps its centre, without a search: none, or the bounds of Hamerly.
enum class Bounds { none, hamerly };

/// The settings that a deck gives.
struct Task {
  /// The number of clusters.
  int clusters = 8;
  /// The seed of the random numbers that choose the first centres.
  std::int64_t seed = 1;
  /// The greatest number of iterations.
  std::int64_t turns = 300;
  /// The iterations end when no centre moves by more than this.
  double tolerance = 0;
  /// The way to find out that a point keeps its centre.
  Bounds bounds = Bounds::none;
  /// The type of the first centres, if a file gives them.
  std::optional<ElementType> given = {};
  /// The names of the files of the points and the first centres, for messages.
  std::string points_file = {};
  std::string centres_file = {};
  /// Whether the labels are the only result, as in benchmarks of the iterations.
  bool has_labels_only = false;
};

/// Makes the pipeline for points with coordinates of type In in an array of N dimensions. P is the number of
/// dimensions without the one of the coordinates: 1 for rows, and 2 for pixels (see Layout).
template <class In, int N, int P>
class PipelineBuilder {
 public:
  /// Takes the points in `domain`.
  PipelineBuilder(const Box& domain, const Task& task)
      : task_(task),
        problem_{Layout::of(domain, P == 1), task.clusters},
        box_(problem_.points),
        size_(task.clusters * problem_.dimensions) {
    points_ = pipeline_.input<In, N>("input", domain);
    exponents_ = pipeline_.library_reduction<P>("exponents", FindExponents<In>{problem_, task.points_file}, 2,
                                                box_, points_);
  }

  /// Returns the pipeline. Its result is `labels` if P is 1, and otherwise `picture`.
  Pipeline make() {
    centres_ = !task_.given                           ? seeded()
               : *task_.given == ElementType::float64 ? given_centres<double>()
                                                      : given_centres<float>();
    task_.bounds == Bounds::hamerly ? add_bounded_loop() : add_loop();
    const auto labels = pipeline_.library_stage<std::int32_t, P>("labels", Label<In>{problem_}, {}, points_,
                                                                 centres_, exponents_);
    if (!task_.has_labels_only) add_summary(labels);
    if constexpr (P == 1) {
      pipeline_.output(labels, box_);
    } else {
      const Paint<In> paint{task_.clusters, problem_.dimensions};
      pipeline_.output(pipeline_.stage<In, N>("picture", paint, labels, centres_));
    }
    return std::move(pipeline_);
  }

 private:
  using T = NumberOf<In>;
  using Loop = Pipeline::Loop;

  /// Adds the stages that take the first centres from a file of type G.
  template <class G>
  Array<T, 1> given_centres() {
    const auto start = pipeline_.input<G, 2>("start", {{0, problem_.dimensions}, {0, task_.clusters}});
    const ReadCentres<T, G> body{{size_}, problem_.dimensions, task_.centres_file};
    const auto given = pipeline_.library_reduction<1>("given", body, size_, {{0, task_.clusters}}, start);
    // Loops feed values, and not results of reductions.
    return pipeline_.values<T>("first_centres", Copy<T>(), size_, given);
  }

  /// Adds the loop that takes the first centres by k-means++, and returns them.
  Array<T, 1> seeded() {
    const int dimensions = problem_.dimensions;
    const Array<T, P> nearest = pipeline_.stage<T, P>("no_distance", Constant<T>{-1});
    pipeline_.bound(nearest, box_, {});
    const auto seeds = pipeline_.values<T>("seeds", Constant<T>{0}, size_);
    const auto one = pipeline_.value<std::int32_t>("one", Constant<std::int32_t>{1});
    const auto turn = pipeline_.value<std::int32_t>("turn", Constant<std::int32_t>{0});
    pipeline_.repeat("seeding", task_.clusters, [&](const Loop& loop) {
      const auto taken = pipeline_.library_reduction<P>("taken", Draw<In>{problem_, task_.seed}, dimensions,
                                                        box_, points_, nearest, turn);
      const auto closer = pipeline_.library_stage<T, P>("closer", Closer<In>{problem_}, {}, points_, nearest,
                                                        taken, exponents_);
      pipeline_.bound(closer, box_, {});
      const auto more =
          pipeline_.values<T>("more_seeds", WithTaken<T>{dimensions}, size_, seeds, taken, turn);
      loop.feed(closer, nearest);
      loop.feed(more, seeds);
      loop.feed(pipeline_.value<std::int32_t>("next_turn", Plus(), turn, one), turn);
    });
    return pipeline_.values<T>("seeded", Copy<T>(), size_, seeds);
  }

  /// Adds the means of the clusters as the next centres, and the end of the iterations when no centre moves.
  void add_move(const Loop& loop, Array<double, 1> sums) {
    const int clusters = task_.clusters, dimensions = problem_.dimensions;
    const auto moved = pipeline_.values<T>("moved", Moved<T>{clusters, dimensions}, size_, centres_, sums);
    const auto movement =
        pipeline_.value<double>("movement", Movement{clusters, dimensions}, moved, centres_);
    loop.feed(moved, centres_);
    loop.watch(movement);
    loop.until(pipeline_.value<std::uint8_t>("done", IsDone{task_.tolerance}, movement));
  }

  /// Adds the loop that moves the centres.
  void add_loop() {
    pipeline_.repeat("lloyd", task_.turns, [&](const Loop& loop) {
      add_move(loop, pipeline_.library_reduction<P>("sums", SumClusters<In>{problem_}, problem_.sum_count(),
                                                    box_, points_, centres_, exponents_));
    });
  }

  /// Adds the loop that moves the centres, with bounds that save searches. Its state has the bounds of all
  /// points, the centres that the bounds belong to, and the sums of the clusters.
  void add_bounded_loop() {
    const Box all_clusters{{0, task_.clusters}};
    const Array<std::uint64_t, P> known =
        pipeline_.stage<std::uint64_t, P>("unknown_bounds", Constant<std::uint64_t>{unknown_bounds});
    pipeline_.bound(known, box_, {});
    const auto before = pipeline_.values<T>("centres_before", Copy<T>(), size_, centres_);
    const FindMoves<T> find_moves{{2 * task_.clusters}, task_.clusters, problem_.dimensions};
    const SumChanges<In> sum_changes{problem_};
    const int count = sum_changes.count();
    const auto totals = pipeline_.values<std::int64_t>("no_totals", Constant<std::int64_t>{0}, count);
    pipeline_.repeat("lloyd", task_.turns, [&](const Loop& loop) {
      const auto moves = pipeline_.library_reduction<1>("moves", find_moves, find_moves.count, all_clusters,
                                                        centres_, before, exponents_);
      const auto bounds = pipeline_.library_stage<std::uint64_t, P>(
          "bounds", SearchWithBounds<In>{problem_}, {}, points_, known, centres_, moves, exponents_);
      pipeline_.bound(bounds, box_, {});
      const auto changes = pipeline_.library_reduction<P>("changes", sum_changes, count, box_, points_,
                                                          bounds, known, exponents_);
      const auto changed = pipeline_.values<std::int64_t>("totals", Plus(), count, totals, changes);
      add_move(loop, pipeline_.library_reduction<1>("sums", RoundSums<In>{{problem_.sum_count()}, problem_},
                                                    problem_.sum_count(), all_clusters, changed, exponents_));
      loop.feed(centres_, before);
      loop.feed(bounds, known);
      loop.feed(changed, totals);
    });
    if (!task_.has_labels_only)
      pipeline_.output(pipeline_.value<std::int64_t>("searched_points", Copy<std::int64_t>(), totals));
  }

  /// Adds the numbers of points of the clusters, the sum of squared distances, the number of empty clusters,
  /// and the centres as rows.
  void add_summary(Array<std::int32_t, P> labels) {
    const int clusters = task_.clusters, dimensions = problem_.dimensions;
    const auto counts = pipeline_.reduce_by_key("counts", Count<std::int32_t>(), clusters, box_, labels);
    const Array<T, 2> rows = pipeline_.stage<T, 2>("centres", Rows{dimensions}, centres_);
    pipeline_.bound(rows, {{0, dimensions}, {0, clusters}}, {});
    const Array<double, P> squares = pipeline_.stage<double, P>(
        "squares", SquaredDistance<N>{clusters, dimensions}, points_, labels, rows);
    pipeline_.output(pipeline_.reduce("inertia", Sum<double>(), squares, box_));
    pipeline_.output(pipeline_.value<std::int32_t>("empty_clusters", EmptyOnes{clusters}, counts));
  }

  const Task& task_;
  Problem problem_;
  Box box_;
  /// The number of coordinates of all centres.
  int size_;
  Pipeline pipeline_;
  Array<In, N> points_{};
  Array<double, 1> exponents_{};
  /// The first centres, which loops move.
  Array<T, 1> centres_{};
};

/// Returns the greatest number of clusters whose sums take less than 2 GiB, which is what a global reduction
/// may take. `type` is the type of the coordinates.
std::int64_t most_clusters(ElementType type, std::int64_t points, std::int64_t dimensions);

/// Returns the pipeline for a data set of rows of coordinates.
Pipeline rows_pipeline(ElementType type, const Box& domain, const Task& task);
/// Returns the pipeline for a picture, whose pixels are points.
Pipeline pixels_pipeline(ElementType type, const Box& domain, const Task& task);

}  // namespace kmeans
