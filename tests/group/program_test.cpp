// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program.hpp"

#include <gtest/gtest.h>

#include "messages.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace {

using namespace tessera;
using group::Program;
using group::TaskId;
using test::expect_message;

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
  expect_message(error_of([&] { program.check(); }), {"'second.b'", "not connected", "another task"});
  program.connect("first", "sum", "second", "b");
  EXPECT_EQ(error_of([&] { program.check(); }), "no error");
  EXPECT_EQ(program.order(), (std::vector<TaskId>{TaskId(0), TaskId(1)}));
}

TEST(Program, SaysWhichOutputNobodyReads) {
  Program program = two_tasks();
  for (const char* task : {"first", "second"})
    for (const char* input : {"a", "b"}) program.input("x", task, input);
  program.output("y", "second", "sum");
  expect_message(error_of([&] { program.check(); }), {"task reads", "'first.sum'", "no output"});
  expect_message(error_of([] { Program().check(); }), {"program", "no tasks"});
}

TEST(Program, NamesTheTasksOfACycle) {
  Program program = two_tasks();
  program.add("third", sum_pipeline(eight));
  program.connect("first", "sum", "second", "a");
  program.connect("second", "sum", "third", "a");
  program.connect("third", "sum", "first", "a");
  expect_message(error_of([&] { static_cast<void>(program.order()); }), {"second -> third", "may depend"});
}

TEST(Program, RefusesEdgesThatDoNotFit) {
  Program program = two_tasks();
  program.add("wide", sum_pipeline(Box{{0, 9}}));
  program.add("whole", sum_pipeline<std::int32_t>(eight));
  program.connect("first", "sum", "second", "a");
  expect_message(error_of([&] { program.connect("wide", "sum", "second", "b"); }),
                 {"'second.b'", "points", "'wide.sum'"});
  expect_message(error_of([&] { program.connect("whole", "sum", "second", "b"); }),
                 {"'second.b'", "float32", "'whole.sum' is int32"});
  expect_message(error_of([&] { program.input("x", "second", "a"); }),
                 {"'second.a'", "two producers", "'first.sum' and 'x'"});
  expect_message(error_of([&] { program.connect("first", "sun", "second", "b"); }),
                 {"'first'", "output 'sun'", "mean 'sum'?"});
  expect_message(error_of([&] { program.connect("first", "sum", "secnd", "b"); }),
                 {"'secnd'", "did you", "mean 'second'?"});
  expect_message(error_of([&] { program.add("first", sum_pipeline(eight)); }),
                 {"program", "two tasks", "'first'"});
  program.output("y", "second", "sum");
  expect_message(error_of([&] { program.output("z", "second", "sum"); }),
                 {"'second.sum'", "output", "program already"});
  expect_message(error_of([&] { program.output("y", "first", "sum"); }), {"program", "two outputs", "'y'"});
  expect_message(error_of([&] {
                   program.output("z", "first", "sum", Box{{0, 20}});
                 }),
                 {"'z'", "program", "'first.sum' has only"});
}

TEST(ProgramPlanner, RefusesGroupsThatDoNotFit) {
  Program program = two_tasks();
  program.input("x", "first", "a");
  program.input("x", "first", "b");
  program.connect("first", "sum", "second", "a");
  program.connect("first", "sum", "second", "b");
  program.output("y", "second", "sum");
  // The tasks begin in the order in which they are listed here.
  const auto error = [&](std::vector<group::ScheduledTask> tasks) {
    for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].start = static_cast<double>(i);
    return error_of([&] { group::ProgramPlanner(program, {"", 4, std::move(tasks)}, {}); });
  };
  const TaskId first{0}, second{1};
  expect_message(error({{first, {0}}}), {"task", "'second'", "missing"});
  expect_message(error({{first, {0}}, {second, {}}}), {"task", "'second'", "0 ranks"});
  expect_message(error({{first, {0}}, {second, {4}}}), {"'second'", "rank 4", "ranks 0"});
  expect_message(error({{first, {1, 0, 1}}, {second, {2}}}), {"task", "'first'", "1 twice"});
  expect_message(error({{first, {0}}, {first, {1}}, {second, {2}}}), {"task", "'first'", "there twice"});
  expect_message(error({{second, {0}}, {first, {0}}}), {"'second'", "starts at 0", "task 'first'"});
  expect_message(error({{TaskId(2), {0}}}), {"no task", "the id 2"});
  EXPECT_EQ(error({{first, {3, 1}}, {second, {2}}}), "no error");
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
    static_cast<void>(
        group::ProgramPlanner(program, group::data_parallel_schedule(program, 1, 1), target).plan(0));
  });
  EXPECT_EQ(error.find("rank 0 needs "), 0U) << error;
  EXPECT_NE(error.find("the task 'only' takes 1.1 MiB of it: give tasks more ranks, or more memory"),
            std::string::npos)
      << error;
}

}  // namespace
