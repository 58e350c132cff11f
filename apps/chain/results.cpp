// SPDX-License-Identifier: BSD-3-Clause
#include "results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "build.hpp"

namespace chain {
namespace {

using namespace tessera;

constexpr const char* stages_key = "output.stages";

std::vector<std::string> named_stages(const deck::Deck& deck) {
  return deck.schema().find(stages_key) != nullptr && deck.is_set(stages_key)
             ? deck.get<std::vector<std::string>>(stages_key)
             : std::vector<std::string>();
}

}  // namespace

std::set<std::string> all_steps(const Chain& chain) {
  std::set<std::string> names;
  for (const Step& step : chain.steps) names.insert(step.name);
  return names;
}

ResultNames::ResultNames(Chain chain, std::map<std::string, std::string> within,
                         std::vector<std::string> numbers)
    : chain_(std::move(chain)), within_(std::move(within)), numbers_(std::move(numbers)) {}

const std::string& ResultNames::step_around(const std::string& stage) const {
  const auto found = within_.find(stage);
  return found == within_.end() ? stage : found->second;
}

AskedResults ResultNames::asked_in(const deck::Deck& deck) const {
  AskedResults asked{{chain_.output}, {}};
  for (const std::string& stage : named_stages(deck)) {
    if (const std::string& step = step_around(stage); chain_.find(step) != nullptr) asked.wanted.insert(step);
    if (chain_.find(stage) != nullptr) asked.whole.insert(stage);
  }
  std::set<std::string> outputs = asked.whole;
  outputs.insert(chain_.output);
  outputs.insert(numbers_.begin(), numbers_.end());
  std::set<std::string> needed = needed_by(chain_, outputs);
  // Steps come after those that they read, which then need not be outputs.
  for (auto step = chain_.steps.rbegin(); step != chain_.steps.rend(); ++step)
    if (asked.wanted.contains(step->name) && !needed.contains(step->name)) {
      asked.whole.insert(step->name);
      needed.merge(needed_by(chain_, {step->name}));
    }
  return asked;
}

void ResultNames::check(const deck::Deck& deck, const io::ImageInfo& image) const {
  const std::vector<std::string> stages = named_stages(deck);
  if (stages.empty()) return;
  const app::WritableStages can_be_written = writable(image);
  for (const std::string& stage : stages)
    if (const std::string reason = reason_against(stage, can_be_written); !reason.empty())
      deck.fail(stages_key, reason);
}

/// Returns the stages that can be written in a run with this image. Steps with errors are left out.
app::WritableStages ResultNames::writable(const io::ImageInfo& image) const {
  app::WritableStages found{.kind = "step or stage"};
  found.add_result(chain_.output);
  found.add_input(main_input);
  for (const std::string& input : chain_.inputs) found.add_input(input);
  for (const std::string& number : numbers_) found.add_number(number);
  for (const Step& step : chain_.steps) {
    if (!step.loop) continue;
    found.add_of_loop(step.name, step.name);
    for (const Step& inner : step.loop->steps) found.add_of_loop(inner.name, step.name);
  }
  add_stages(found, image);
  for (const auto& [stage, step] : within_)
    if (const Step* loop = loop_around(step))
      found.add_of_loop(stage, loop->name);
    else
      found.add_of_others(stage);
  return found;
}

/// Adds the stages that the chain has for this image.
void ResultNames::add_stages(app::WritableStages& found, const io::ImageInfo& image) const {
  const auto add = [&](const std::set<std::string>& steps) {
    found.add(build(chain_, image.type, image.domain, steps).pipeline);
  };
  try {
    return add(all_steps(chain_));
  } catch (const InputError&) {
    // A step that nothing asks for may not accept the image.
  }
  for (const Step& step : chain_.steps) try {
      add({chain_.output, step.name});
    } catch (const InputError&) {
      // Whoever asks for this step learns of its error when the chain is built.
      if (!step.loop && step.name != chain_.output) found.add_name(step.name);
    }
}

/// Returns the loop that computes a step, or that is the step, or nullptr.
const Step* ResultNames::loop_around(const std::string& step) const {
  for (const Step& outer : chain_.steps)
    if (outer.loop && (outer.name == step ||
                       std::ranges::find(outer.loop->steps, step, &Step::name) != outer.loop->steps.end()))
      return &outer;
  return nullptr;
}

/// Returns why a stage cannot be written besides the output, and what to do, or an empty text.
std::string ResultNames::reason_against(const std::string& stage,
                                        const app::WritableStages& can_be_written) const {
  if (can_be_written.has(stage)) return "";
  const Step* loop = loop_around(step_around(stage));
  if (loop == nullptr || stage == chain_.output) return can_be_written.reason_against(stage);
  return fmt::format("{}: name a step outside the loop instead, such as 'last: {{expression: {}}}'",
                     can_be_written.reasons.at(stage), loop->name);
}

}  // namespace chain
