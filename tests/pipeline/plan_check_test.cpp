// SPDX-License-Identifier: BSD-3-Clause
// Plans that were edited: what executors would follow into memory that is not theirs is refused.
#include "tessera/pipeline/plan_file/plan_check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "messages.hpp"
#include "pipeline/plan_sample.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan_file/plan_json.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::expect_message;

/// A blur on three ranks by rows whose first stage is computed in tiles of the second.
struct Sample {
  Box box{{0, 12}, {0, 12}};
  Pipeline pipeline = test::blur_pipeline<std::uint16_t>(box, box);
  std::vector<Plan> plans;

  explicit Sample(Placement placement = Placement::tile, Overlap overlap = Overlap::off) {
    Schedule schedule;
    schedule.overlap = overlap;
    schedule.stages["bh"].placement = placement;
    schedule.stages["bv"].tile = {6, 2};
    plans = make_plans(pipeline, schedule, {2}, 3);
  }
  Plan& middle() { return plans[1]; }
  std::vector<PlanNode>& phases() { return std::get<plan::Sequence>(middle().root.step).children; }
  void number() { number_nodes(middle().root); }
  /// The first step of a kind in the plan of the middle rank.
  template <class Step>
  Step& step() {
    Step* found = nullptr;
    walk(middle().root, [&](const PlanNode& node) {
      if (const auto* step = std::get_if<Step>(&node.step); step && !found) found = const_cast<Step*>(step);
    });
    return *found;
  }
};

std::string error_after(Sample sample, const std::function<void(Sample&)>& edit) {
  check_plans(sample.pipeline, sample.plans);
  edit(sample);
  const std::string error = test::message_of<InputError>([&] { check_plans(sample.pipeline, sample.plans); });
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  return error;
}

TEST(PlanCheck, NamesTheStepAndWhatIsWrong) {
  expect_message(error_after(Sample(), [](Sample& s) { s.step<plan::Read>().box = s.box; }),
                 {"not lie", "plan again"});
  expect_message(error_after(Sample(), [](Sample& s) { s.middle().buffers[1].offset += 64; }),
                 {"array_bytes is 320", "plan again"});
  expect_message(
      error_after(Sample(), [](Sample& s) { s.step<plan::Exchange>().arrays[0].lists.sends.pop_back(); }),
      {"plans again", "mend them"});
}

/// Edits that must not pass, and a part of the message.
struct Edit {
  const char* message;
  std::function<void(Sample&)> apply;
};

const std::vector<Edit> edits = {
    {"plan 1 of 3 is that of rank 2", [](Sample& s) { s.middle().rank = 2; }},
    {"plan 1 of 3 is that of rank 1 of 4", [](Sample& s) { s.middle().rank_count = 4; }},
    {"threads is 0", [](Sample& s) { s.middle().target.threads = 0; }},
    {"follow different schedules", [](Sample& s) { s.middle().stages[0].placement = Placement::rank; }},
    {"2 instead of 3", [](Sample& s) { s.middle().stages.pop_back(); }},
    {"is of more than 3 ranks", [](Sample& s) { s.middle().stages[0].grid.size[0] = 2; }},
    {"a size of the grid", [](Sample& s) { s.middle().stages[0].grid.size[0] = 0; }},
    {"digits of the grid",
     [](Sample& s) {
       s.middle().stages[0].grid.digits = {{0, 3}};
     }},
    {"its domain is", [](Sample& s) { s.middle().stages[1].domain[0].end = 1000; }},
    {"nominal is empty", [](Sample& s) { s.middle().stages[1].nominal = {}; }},
    {"this rank of the grid owns", [](Sample& s) { s.middle().stages[1].owned[1].end += 1; }},
    {"a buffer is 7", [](Sample& s) { s.middle().stages[0].read_buffer = 7; }},
    {"is of another array", [](Sample& s) { s.middle().stages[0].read_buffer = 1; }},
    {"no buffer in use holds", [](Sample& s) { s.middle().stages[0].written_buffer = -1; }},
    {"the number of an array is 9",
     [](Sample& s) {
       s.middle().stages[0].written_buffer = s.middle().stages[0].read_buffer = -1;
       s.middle().buffers[0].array = 9;
     }},
    {"takes", [](Sample& s) { s.middle().buffers[0].box[1].end += 3; }},
    {"larger than any array",
     [](Sample& s) {
       s.middle().buffers[0].box = {{0, 1 << 30}, {0, 1 << 30}};
     }},
    {"no multiple of 64", [](Sample& s) { s.middle().buffers[1].offset += 1; }},
    {"overlaps buffer",
     [](Sample& s) {
       s.middle().buffers[1].offset = 0;
       s.middle().array_bytes = s.middle().buffers[0].bytes;
     }},
    {"array_bytes", [](Sample& s) { s.middle().array_bytes -= 64; }},
    {"array_bytes", [](Sample& s) { s.middle().array_bytes = std::int64_t{1} << 40; }},
    {"scratch_bytes", [](Sample& s) { s.middle().scratch_bytes -= 64; }},
    {"reaches beyond scratch_bytes",
     [](Sample& s) {
       s.step<plan::Compute>().scratch_bytes = 0;
       s.middle().scratch_bytes = 0;
     }},
    {"no multiple of 64", [](Sample& s) { s.step<plan::Compute>().scratch[0].offset = 8; }},
    {"scratch does not hold", [](Sample& s) { s.step<plan::Compute>().scratch.clear(); }},
    {"scratch does not hold", [](Sample& s) { s.step<plan::Compute>().scratch[0].array = 2; }},
    {"boxes of members", [](Sample& s) { s.step<plan::Compute>().boxes.pop_back(); }},
    {"boxes of members",
     [](Sample& s) {
       s.step<plan::Compute>().tile = {1, 1};
     }},
    {"tile has 1 entries", [](Sample& s) { s.step<plan::Compute>().tile = {1}; }},
    {"an entry of tile is 0",
     [](Sample& s) {
       s.step<plan::Compute>().tile = {0, 1};
     }},
    {"'bv' reads", [](Sample& s) { s.step<plan::Compute>().boxes[0][1].end -= 1; }},
    {"'bv' reads", [](Sample& s) { s.step<plan::Compute>().boxes[1] = {}; }},
    {"the box of a member", [](Sample& s) { s.step<plan::Compute>().boxes[0][0].begin = -5; }},
    {"overlap",
     [](Sample& s) {
       s.step<plan::Compute>().parts.push_back(Box{{0, 1}, {4, 5}});
     }},
    {"a part is", [](Sample& s) { s.step<plan::Compute>().parts[0][1].end = 9; }},
    {"'input' only 0 of 48 points are read",
     [](Sample& s) {
       s.step<plan::Read>().box = {{0, 0}, {0, 0}};
     }},
    {"'bv' only 0 of 48 points are written",
     [](Sample& s) {
       std::erase_if(std::get<plan::Sequence>(s.phases()[2].step).children,
                     [](const PlanNode& node) { return std::holds_alternative<plan::Write>(node.step); });
       s.number();
     }},
    {"'bv' only 0 of 48 points are computed",
     [](Sample& s) {
       std::erase_if(std::get<plan::Sequence>(s.phases()[1].step).children,
                     [](const PlanNode& node) { return std::holds_alternative<plan::Compute>(node.step); });
       s.middle().scratch_bytes = 0;
       s.number();
     }},
    {"an empty part",
     [](Sample& s) {
       s.step<plan::Compute>().parts.push_back(Box{{0, 0}, {0, 0}});
     }},
    {"the last member", [](Sample& s) { s.step<plan::Compute>().members.clear(); }},
    {"the last member", [](Sample& s) { s.step<plan::Compute>().stage = 1; }},
    {"members are not in order",
     [](Sample& s) {
       s.step<plan::Compute>().members = {1, 1, 2};
     }},
    {"is computed by no stage",
     [](Sample& s) {
       s.step<plan::Compute>().members = {0, 2};
     }},
    {"group is 3", [](Sample& s) { s.step<plan::Compute>().group = 3; }},
    {"is no input", [](Sample& s) { s.step<plan::Read>().array = 2; }},
    {"is no output", [](Sample& s) { s.step<plan::Write>().array = 0; }},
    {"this rank writes", [](Sample& s) { s.step<plan::Write>().box[1].end -= 1; }},
    {"box", [](Sample& s) { s.step<plan::FillBoundary>().box[0].begin = -2; }},
    {"is in use already",
     [](Sample& s) {
       auto& read = std::get<plan::Sequence>(s.phases()[0].step).children;
       read.insert(read.begin(), read.front());
       s.number();
     }},
    {"is not in use",
     [](Sample& s) {
       auto& write = std::get<plan::Sequence>(s.phases()[2].step).children;
       write.push_back(write.back());
       s.number();
     }},
    {"buffer is 2", [](Sample& s) { s.step<plan::Allocate>().buffer = 2; }},
    {"buffer is -1", [](Sample& s) { s.step<plan::Free>().buffer = -1; }},
    {"stands there twice",
     [](Sample& s) {
       auto& arrays = s.step<plan::Exchange>().arrays;
       arrays.push_back(arrays[0]);
     }},
    {"a partner is 3", [](Sample& s) { s.step<plan::Exchange>().arrays[0].lists.sends[1].partner = 3; }},
    {"a message to itself", [](Sample& s) { s.step<plan::Exchange>().arrays[0].lists.sends[1].partner = 1; }},
    {"rising order",
     [](Sample& s) {
       auto& sends = s.step<plan::Exchange>().arrays[0].lists.sends;
       std::swap(sends[0], sends[1]);
     }},
    {"the box of a message",
     [](Sample& s) { s.step<plan::Exchange>().arrays[0].lists.sends[0].shift[1] = 9; }},
    {"an empty message", [](Sample& s) { s.step<plan::Exchange>().arrays[0].lists.sends[0].box = {}; }},
    {"cannot be sent in place",
     [](Sample& s) {
       Message& message = s.step<plan::Exchange>().arrays[0].lists.sends[0];
       message.box = Box{{0, 4}, {4, 6}};
       message.in_place = true;
     }},
    {"what rank 1 sends to rank 0",
     [](Sample& s) {
       s.step<plan::Exchange>().arrays[0].lists.sends[0].box[0].end -= 1;
       s.step<plan::Exchange>().arrays[0].lists.sends[0].in_place = false;
     }},
    {"a copy from rank 0",
     [](Sample& s) {
       s.step<plan::Exchange>().arrays[0].lists.copies.push_back({0, Box{{0, 1}, {4, 5}}, {}});
     }},
    {"a copy of [0, 1) x [4, 5) onto itself",
     [](Sample& s) {
       s.step<plan::Exchange>().arrays[0].lists.copies.push_back({1, Box{{0, 1}, {4, 5}}, {}});
     }},
    {"no step waits for exchange", [](Sample& s) { s.step<plan::Exchange>().overlapped = true; }},
    {"its id should be 0", [](Sample& s) { s.middle().root.id = 1; }},
    {"the root has no sequence 'read'", [](Sample& s) { s.middle().root.step = plan::Items{}; }},
    {"the root has no sequence 'read'",
     [](Sample& s) {
       PlanNode phases = s.middle().root;
       s.middle().root.step = plan::Sequence{"plan", {phases}};
     }},
    {"the root has no sequence 'write'",
     [](Sample& s) { std::get<plan::Sequence>(s.middle().root.step).children.pop_back(); }},
};

TEST(PlanCheck, RefusesWhatCannotBeRun) {
  for (const Edit& edit : edits)
    EXPECT_NE(error_after(Sample(), edit.apply).find(edit.message), std::string::npos)
        << edit.message << " in " << error_after(Sample(), edit.apply);
}

TEST(PlanCheck, OverlappedExchangesAreFinishedOnce) {
  const Sample sample(Placement::distributed, Overlap::on);
  EXPECT_NE(error_after(sample, [](Sample& s) { s.step<plan::FinishExchange>().exchange = 0; })
                .find("waits for 0, which is no exchange under way"),
            std::string::npos);
  EXPECT_NE(error_after(sample, [](Sample& s) { s.step<plan::Exchange>().overlapped = false; })
                .find("which is no exchange under way"),
            std::string::npos);
}

TEST(PlanCheck, StepsDifferBetweenRanks) {
  const std::string error = error_after(Sample(), [](Sample& s) {
    s.step<plan::FillBoundary>();
    walk(s.middle().root, [](const PlanNode& node) {
      if (std::holds_alternative<plan::FillBoundary>(node.step))
        const_cast<PlanNode&>(node).step = plan::Exchange{};
    });
  });
  expect_message(error, {"'boundary input'", "plans again", "mend them"});
}

/// Changes a number, or some bytes.
void mutate(std::string& text, std::mt19937& random) {
  static constexpr const char* numbers[] = {"0",  "1",    "-1",         "2",          "3",
                                            "64", "4096", "2147483647", "4294967296", "-9223372036854775808"};
  const std::size_t at = random() % text.size();
  const std::size_t number = text.find_first_of("0123456789", at);
  if (random() % 4 != 0 && number != std::string::npos) {
    const std::size_t end = text.find_first_not_of("0123456789", number);
    constexpr std::size_t most_digits = 18;  // of a number that can be counted up
    if (random() % 2 == 0 || end - number > most_digits)
      text.replace(number, end - number, numbers[random() % std::size(numbers)]);
    else
      text.replace(number, end - number, std::to_string(std::stoll(text.substr(number, end - number)) + 1));
    return;
  }
  switch (random() % 3) {
    case 0:
      text.erase(at, random() % 8);
      break;
    case 1:
      text.insert(at, text.substr(random() % text.size(), random() % 60));
      break;
    default:
      text[at] = static_cast<char>(random() % 256);
  }
}

/// Every text is either refused by one line, or its plans run to their end.
void expect_refused_or_run(const Sample& sample, const std::string& text, int& accepted) {
  std::vector<Plan> plans;
  try {
    plans = plans_from_json(sample.pipeline, text);
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return;
  }
  ++accepted;
  const test::WholeArray<std::uint16_t> image(sample.box);
  test::ArraySource<std::uint16_t> source(image);
  test::ArraySink<std::uint16_t> sink(sample.box);
  Rehearsal(sample.pipeline, plans).run({{{"input", &source}}, {{"bv", &sink}}});
}

TEST(PlanCheck, MutatedTextsAreRefusedOrRun) {
  std::mt19937 random(311);
  const Sample samples[] = {Sample(Placement::tile), Sample(Placement::distributed, Overlap::on),
                            Sample(Placement::rank, Overlap::on), Sample(Placement::replicated)};
  std::vector<std::string> texts;
  for (const Sample& sample : samples) texts.push_back(to_json(sample.pipeline, sample.plans));
  int accepted = 0;
  for (std::size_t i = 0; i < 6000; ++i) {
    const Sample& sample = samples[i % 4];
    std::string text = texts[i % 4];
    for (unsigned n = random() % 2 + 1; n > 0; --n) mutate(text, random);
    expect_refused_or_run(sample, text, accepted);
  }
  EXPECT_GT(accepted, 100);
}

TEST(PlanCheck, TruncatedTextsAreRefused) {
  const Sample sample;
  const std::string text = to_json(sample.pipeline, sample.plans);
  int accepted = 0;
  for (std::size_t size = 0; size + 2 < text.size(); size += 7)
    expect_refused_or_run(sample, text.substr(0, size), accepted);
  EXPECT_EQ(accepted, 0);
}

}  // namespace
