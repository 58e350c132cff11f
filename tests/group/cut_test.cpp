// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program.hpp"

#include <gtest/gtest.h>

#include "messages.hpp"
#include "pipeline/array_source.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/group/program_run.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using group::Program;
using group::TaskStages;
using test::expect_message;

struct Neighbours {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x - 1) + in(x + 1);
  }
};
struct Sum {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x) const {
    return a(x) + b(x);
  }
};
struct Half {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x)*0.5f;
  }
};

const Box ten{{0, 10}};

/// blur -> left -> middle -> right -> join(blur, right), and a loop that halves `state`, an input.
Pipeline sample_pipeline() {
  Pipeline p;
  const auto in = p.input<float, 1>("in", ten, Boundary::clamp);
  const auto state = p.input<float, 1>("state", ten, Boundary::clamp);
  const auto blur = p.stage<float>("blur", Neighbours{}, in);
  const auto before = p.stage<float>("before", Sum{}, blur, state);
  const auto middle = p.stage<float>("middle", Neighbours{}, before);
  p.repeat("halve", 3,
           [&](const Pipeline::Loop& loop) { loop.feed(p.stage<float>("next", Half{}, state), state); });
  const auto after = p.stage<float>("after", Sum{}, middle, state);
  p.output(p.stage<float>("join", Sum{}, blur, after));
  return p;
}

std::vector<std::string> names_of(const Program& program) {
  std::vector<std::string> names;
  for (const group::ProgramTask& task : program.tasks()) {
    std::string text = task.name + ":";
    for (const ArrayDeclaration& array : task.pipeline.arrays()) text += " " + array.name;
    names.push_back(text);
  }
  return names;
}

std::string error_of(const std::vector<TaskStages>& tasks) {
  try {
    group::cut(sample_pipeline(), {}, tasks);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Cut, AddsStagesThatNoTaskNames) {
  const Program program = group::cut(sample_pipeline(), {}, {{"one", {"blur", "middle"}}, {"two", {"next"}}});
  EXPECT_EQ(names_of(program),
            (std::vector<std::string>{"one: in state blur before middle", "two: state next",
                                      "join: state blur middle after join"}));
}

TEST(Cut, SaysWhichTasksAreFaulty) {
  expect_message(error_of({{"one", {"blurr"}}}), {"'one'", "names 'blurr'", "mean 'blur'?"});
  expect_message(error_of({{"one", {"in"}}}), {"'one'", "names 'in'", "no stage"});
  expect_message(error_of({{"one", {}}}), {"task", "'one'", "no stages"});
  expect_message(error_of({{"one", {"blur"}}, {"one", {"join"}}}), {"there are two tasks", "'one'"});
  expect_message(error_of({{"one", {"blur"}}, {"two", {"join", "blur"}}}),
                 {"'blur'", "task 'two'", "same loop"});
  expect_message(error_of({{"one", {"before", "join"}}, {"two", {"after"}}}),
                 {"one -> two -> one", "may depend"});
  expect_message(error_of({{"one", {"before", "after"}}}), {"'one'", "'state' before", "make two"});
}

TEST(Cut, LoopsAreTasksLikeOthers) {
  test::WholeArray<float> in(ten), state(ten);
  for (std::size_t i = 0; i < in.values.size(); ++i) {
    in.values[i] = static_cast<float>(i * i);
    state.values[i] = static_cast<float>(7 * i + 1);
  }
  test::ArraySource<float> in_source(in), state_source(state);
  const Pipeline pipeline = sample_pipeline();
  test::ArraySink<float> expected(ten);
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, 1))
      .run({{{"in", &in_source}, {"state", &state_source}}, {{"join", &expected}}});
  Schedule rounds;
  rounds.loops["halve"].turns_per_exchange = 2;
  for (const auto& tasks : std::vector<std::vector<TaskStages>>{{{"one", {"before"}}, {"two", {"after"}}},
                                                                {{"loop", {"next"}}},
                                                                {{"first", {"blur"}}, {"last", {"join"}}}}) {
    const Program program = group::cut(pipeline, rounds, tasks);
    for (int ranks : {1, 3, 12}) {
      test::ArraySink<float> sink(ten);
      const group::ProgramPlanner planner(program, group::data_parallel_schedule(program, ranks, ranks), {});
      group::ProgramRehearsal(program, planner.plans())
          .run({{{"in", &in_source}, {"state", &state_source}}, {{"join", &sink}}});
      EXPECT_TRUE(sink.array.same_bits(expected.array)) << ranks;
      EXPECT_TRUE(sink.every_point_written_once());
    }
  }
}

}  // namespace
