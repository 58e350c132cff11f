// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/text.hpp"

namespace tessera::group {
namespace {

/// The number and the bytes of some messages.
struct Messages {
  std::int64_t count = 0, bytes = 0;

  void add(const Parcel& parcel) {
    ++count;
    bytes += parcel.bytes;
  }
};

std::string text_of(const Messages& messages) {
  return fmt::format("{} of {}", counted(messages.count, "message"), human_bytes(messages.bytes));
}

/// Returns a line about an array: who computes it, who reads it, and the messages.
std::string array_line(const Program& program, const ProgramArray& array, const Messages& messages) {
  std::vector<std::string> readers;
  for (const Port& use : array.uses) readers.push_back(program.task(use.task).name);
  if (!array.output.empty()) readers.emplace_back("stop");
  return fmt::format("array {}: {} of {}, from {} to {}, {}\n", array.name,
                     human_bytes(array.domain.size() * array.element_bytes()), tessera::name_of(array.type),
                     name_of_task(program, array.producer.task), fmt::join(readers, ", "),
                     messages.count == 0 ? "no messages" : text_of(messages));
}

/// Returns lines about the messages of a rank at one step. `word` says what the rank does with the messages,
/// and `selects` chooses them.
template <class Selects>
std::string parcel_lines(const Program& program, const std::vector<Parcel>& parcels, const char* word,
                         const Selects& selects) {
  std::string text;
  for (const Parcel& parcel : parcels) {
    if (!selects(parcel)) continue;
    std::vector<std::string> boxes;
    for (const Box& box : parcel.boxes) boxes.push_back(to_string(box));
    text +=
        fmt::format("  {} rank {}: {} {}, {}{}\n", word, parcel.partner, program.array(parcel.array).name,
                    fmt::join(boxes, ", "), human_bytes(parcel.bytes), parcel.in_place ? ", in place" : "");
  }
  return text;
}

std::string memory_line(const ProgramPlan& plan) {
  return fmt::format("memory  {}: {} between tasks{}, {} for arrays of tasks one after the other, {} else\n",
                     human_bytes(plan.peak_bytes()), human_bytes(plan.kept_bytes()),
                     plan.is_stream ? " of " + counted(plan.slots, "item") : "",
                     human_bytes(plan.array_bytes), human_bytes(plan.other_bytes));
}

}  // namespace

std::string explain(const Program& program, const std::vector<ProgramPlan>& plans) {
  IdVector<int, Messages> by_array(program.arrays().size());
  Messages all;
  std::string text;
  const ProgramPlan* largest = &plans.front();
  for (const ProgramPlan& plan : plans) {
    if (plan.peak_bytes() > largest->peak_bytes()) largest = &plan;
    for (const Parcel& parcel : plan.sends) {
      by_array[parcel.array].add(parcel);
      all.add(parcel);
    }
  }
  for (const int array : by_array.ids()) text += array_line(program, program.array(array), by_array[array]);
  return text + fmt::format("between tasks {}\nat most, of rank {}: {}", text_of(all), largest->rank,
                            memory_line(*largest));
}

std::string explain(const Program& program, const ProgramPlan& plan) {
  std::string text = fmt::format("rank {} of {}\n", plan.rank, plan.rank_count);
  for (int number = 0; number < static_cast<int>(plan.steps.size()); ++number) {
    const RankStep& step = plan.steps[static_cast<std::size_t>(number)];
    text += parcel_lines(program, plan.receives, "gets from",
                         [&](const Parcel& parcel) { return parcel.first_use == number; });
    text += fmt::format(
        "{} {} on ranks {}{}\n", number, name_of_task(program, step.task), ranges_text(step.ranks),
        step.plan == nullptr ? "" : fmt::format(", {} of memory", human_bytes(step.plan->peak_bytes())));
    for (const HeldArray& held : plan.held)
      if (held.steps.first == number)
        text += fmt::format("  keeps {} {} until step {}\n", program.array(held.array).name,
                            to_string(held.box), held.steps.last);
    text += parcel_lines(program, plan.sends, "sends to",
                         [&](const Parcel& parcel) { return parcel.steps.first == number; });
  }
  return text + memory_line(plan);
}

}  // namespace tessera::group
