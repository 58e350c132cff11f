// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program.hpp"

#include <gtest/gtest.h>

#include "tessera/domain/error.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace {

using namespace tessera;
using group::Program;

struct Sum {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x) const {
    return a(x) + b(x);
  }
};

/// A pipeline of the inputs `a` and `b` of T, with the output `sum`.
template <class T = float>
Pipeline sum_pipeline(const Box& box) {
  Pipeline pipeline;
  const auto a = pipeline.input<T, 1>("a", box), b = pipeline.input<T, 1>("b", box);
  pipeline.output(pipeline.stage<T>("sum", Sum{}, a, b));
  return pipeline;
}

const Box eight{{0, 8}};

template <class Act>
std::string error_of(const Act& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Program two_tasks() {
  Program program;
  program.add("first", sum_pipeline(eight));
  program.add("second", sum_pipeline(eight));
  return program;
}

TEST(Program, SaysWhatIsNotConnected) {
  Program program = two_tasks();
  program.input("x", "first", "a");
  program.input("x", "first", "b");
  program.connect("first", "sum", "second", "a");
  program.output("y", "second", "sum");
  EXPECT_EQ(
      error_of([&] { program.check(); }),
      "the input 'second.b' is not connected: connect it to an output of another task, or to an input of the "
      "program");
  program.connect("first", "sum", "second", "b");
  EXPECT_EQ(error_of([&] { program.check(); }), "no error");
  EXPECT_EQ(program.order(), (std::vector<int>{0, 1}));
}

TEST(Program, SaysWhichOutputNobodyReads) {
  Program program = two_tasks();
  for (const char* task : {"first", "second"})
    for (const char* input : {"a", "b"}) program.input("x", task, input);
  program.output("y", "second", "sum");
  EXPECT_EQ(error_of([&] { program.check(); }),
            "no task reads 'first.sum', and it is no output of the program: connect it or leave it out");
  EXPECT_EQ(error_of([] { Program().check(); }), "the program has no tasks");
}

TEST(Program, NamesTheTasksOfACycle) {
  Program program = two_tasks();
  program.add("third", sum_pipeline(eight));
  program.connect("first", "sum", "second", "a");
  program.connect("second", "sum", "third", "a");
  program.connect("third", "sum", "first", "a");
  EXPECT_EQ(error_of([&] { static_cast<void>(program.order()); }),
            "the program has a cycle: first -> second -> third -> first (first.sum, second.sum, "
            "third.sum); no task may depend on itself");
}

TEST(Program, RefusesEdgesThatDoNotFit) {
  Program program = two_tasks();
  program.add("wide", sum_pipeline(Box{{0, 9}}));
  program.add("whole", sum_pipeline<std::int32_t>(eight));
  program.connect("first", "sum", "second", "a");
  EXPECT_EQ(error_of([&] { program.connect("wide", "sum", "second", "b"); }),
            "the input 'second.b' has the points [0, 8), but 'wide.sum' has the points [0, 9)");
  EXPECT_EQ(error_of([&] { program.connect("whole", "sum", "second", "b"); }),
            "the input 'second.b' is float32, but 'whole.sum' is int32");
  EXPECT_EQ(error_of([&] { program.input("x", "second", "a"); }),
            "the input 'second.a' has two producers: 'first.sum' and 'x'");
  EXPECT_EQ(error_of([&] { program.connect("first", "sun", "second", "b"); }),
            "the task 'first' has no output 'sun'; did you mean 'sum'?");
  EXPECT_EQ(error_of([&] { program.connect("first", "sum", "secnd", "b"); }),
            "the program has no task 'secnd'; did you mean 'second'?");
  EXPECT_EQ(error_of([&] { program.add("first", sum_pipeline(eight)); }),
            "the program has two tasks 'first'");
  program.output("y", "second", "sum");
  EXPECT_EQ(error_of([&] { program.output("z", "second", "sum"); }),
            "'second.sum' is an output of the program already: 'y'");
  EXPECT_EQ(error_of([&] { program.output("y", "first", "sum"); }), "the program has two outputs 'y'");
  EXPECT_EQ(error_of([&] {
              program.output("z", "first", "sum", Box{{0, 20}});
            }),
            "the output 'z' of the program is [0, 20), but 'first.sum' has only [0, 8)");
}

TEST(ProgramPlanner, RefusesGroupsThatDoNotFit) {
  Program program = two_tasks();
  program.input("x", "first", "a");
  program.input("x", "first", "b");
  program.connect("first", "sum", "second", "a");
  program.connect("first", "sum", "second", "b");
  program.output("y", "second", "sum");
  const auto error = [&](const std::vector<group::TaskGroup>& groups) {
    return error_of([&] { group::ProgramPlanner(program, groups, {}, 4); });
  };
  EXPECT_EQ(error({{0, {0}}}), "the task 'second' has no group");
  EXPECT_EQ(error({{0, {0}}, {1, {}}}), "the task 'second' has no ranks");
  EXPECT_EQ(error({{0, {0}}, {1, {4}}}),
            "the task 'second' has the rank 4, but there are only the ranks 0 to 3");
  EXPECT_EQ(error({{0, {1, 0, 1}}, {1, {2}}}), "the task 'first' has the rank 1 twice");
  EXPECT_EQ(error({{0, {0}}, {0, {1}}, {1, {2}}}), "the task 'first' has two groups");
  EXPECT_EQ(error({{1, {0}}, {0, {0}}}),
            "the task 'second' comes before the task 'first', which it depends on");
  EXPECT_EQ(error({{2, {0}}}), "there is no task number 2: the program has 2 tasks");
  EXPECT_EQ(error({{0, {3, 1}}, {1, {2}}}), "no error");
}

TEST(ProgramPlanner, SaysWhichRankLacksMemory) {
  const Box many{{0, 100000}};
  Program program;
  program.add("only", sum_pipeline(many));
  program.input("x", "only", "a");
  program.input("y", "only", "b");
  program.output("z", "only", "sum");
  Target target;
  target.memory_bytes = 2000000;
  const std::string error = error_of([&] {
    static_cast<void>(group::ProgramPlanner(program, {{0, {0}}}, target, 1).plan(0));
  });
  EXPECT_EQ(error.find("rank 0 needs "), 0U) << error;
  EXPECT_NE(error.find("the task 'only' takes 1.1 MiB of it: give tasks more ranks, or more memory"),
            std::string::npos)
      << error;
}

}  // namespace
