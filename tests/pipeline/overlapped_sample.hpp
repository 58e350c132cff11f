// SPDX-License-Identifier: BSD-3-Clause
// A pipeline to whose loop the tests of overlapped tests of loops add stages and conditions.
#pragma once

#include "pipeline/array_source.hpp"
#include "pipeline/recording.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/view/reductions.hpp"

namespace tessera::test::overlapped {

using Number = std::int32_t;
using Numbers = Array<Number, 2>;

inline const Box image{{0, 9}, {-1, 7}};

/// The next iterate, and ten times this one.
struct Next {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return pack(max(u(x, y), u(x - 1, y)) + 1, u(x, y) * 10);
  }
};
struct Add {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return a(x, y) + b(x, y);
  }
};
struct Twice {
  template <class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const V& v, Coord) const {
    return v(0) * 2;
  }
};
struct IsAtLeast {
  Number bound;
  template <class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const V& v, Coord) const {
    return cast<std::uint8_t>(select(v(0) >= bound, 1, 0));
  }
};
struct BothAreAtLeast {
  Number one, other;
  template <class V, class W, class Coord>
  KOKKOS_FUNCTION auto operator()(const V& v, const W& w, Coord) const {
    return cast<std::uint8_t>(select(v(0) >= one && w(0) >= other, 1, 0));
  }
};

/// The effects of a run: the turns of each loop, in the order in which they end, all that a recorder hears of
/// turns, and the outputs u and w.
struct Result {
  std::vector<std::int64_t> turns;
  std::string told;
  test::WholeArray<Number> u{image}, w{image};

  bool operator==(const Result& other) const {
    return turns == other.turns && told == other.told && u.same_bits(other.u) && w.same_bits(other.w);
  }
};

inline const LoopSchedule waits{}, overlaps{.overlaps_test = true};

/// Schedules of loops that run in rounds of any kind and overlap the tests of these rounds.
inline const std::vector<LoopSchedule> overlapped_rounds = {
    {.turns_per_test = 2, .overlaps_test = true},
    {.turns_per_test = 5, .overlaps_test = true},
    {.turns_per_exchange = 3, .overlaps_test = true},
    {.turns_per_exchange = 2, .turns_per_tile = 2, .turns_per_test = 4, .overlaps_test = true},
    {.turns_per_tile = 3, .overlaps_test = true}};

/// A pipeline with the iterates u and w. A test adds a loop with the name "inner".
struct Sample {
  Pipeline pipeline;
  Numbers u, w;
  /// The names of further iterates.
  std::vector<std::string> further = {};

  explicit Sample(Boundary boundary = Boundary::clamp)
      : u(pipeline.input<Number, 2>("u", image, boundary)),
        w(pipeline.input<Number, 2>("w", image, boundary)) {}

  /// Adds one more iterate.
  Numbers iterate(const std::string& name, Boundary boundary) {
    further.push_back(name);
    return pipeline.input<Number, 2>(name, image, boundary);
  }

  Rounds rounds(const LoopSchedule& inner) {
    Schedule schedule;
    schedule.loops["inner"] = inner;
    return in_rounds(pipeline, schedule);
  }
  void end() {
    pipeline.output(u);
    pipeline.output(w);
  }
  Result run(const LoopSchedule& inner, int ranks) {
    const Rounds made = rounds(inner);
    test::WholeArray<Number> start(image);
    start.at({{2, 3, 0, 0}}) = 3;
    test::ArraySource<Number> first(start), second(start), third(start);
    test::ArraySink<Number> u_sink(image), w_sink(image);
    Result result;
    Bindings bindings{{{"u", &first}, {"w", &second}}, {{"u", &u_sink}, {"w", &w_sink}}};
    for (const std::string& name : further) bindings.sources[name] = &third;
    bindings.before_turn = [&](const LoopProgress& progress) {
      result.told += "before " + std::to_string(progress.turns + 1) + "\n";
    };
    bindings.after_turn = [&](const LoopProgress& progress) {
      result.told += "after " + std::to_string(progress.turns) + ": " + std::to_string(progress.residual) +
                     (progress.has_converged ? ", converged\n" : "\n");
    };
    bindings.after_loop = [&](const LoopProgress& progress) { result.turns.push_back(progress.turns); };
    Rehearsal(made.pipeline, make_plans(made.pipeline, made.schedule, {}, ranks)).run(bindings);
    result.u = u_sink.array;
    result.w = w_sink.array;
    return result;
  }
  /// Returns why the inner loop cannot have the schedule `inner`.
  std::string refusal(const LoopSchedule& inner) {
    return test::message_of<ScheduleError>([&] { static_cast<void>(rounds(inner)); });
  }
};

}  // namespace tessera::test::overlapped
