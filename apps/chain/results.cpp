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

std::vector<std::string> names_of_steps(const Chain& chain) {
  std::vector<std::string> names;
  for (const Step& step : chain.steps) {
    names.push_back(step.name);
    if (step.loop)
      for (const Step& inner : step.loop->steps) names.push_back(inner.name);
  }
  return names;
}

ResultNames::ResultNames(const Chain& chain, const deck::Deck& deck, const io::ImageInfo& image)
    : chain_(chain),
      deck_(deck),
      image_(image),
      stages_(named_stages(deck)),
      numbers_(unread_numbers(chain, image.type, image.domain)) {}

/// Returns the step to which a stage belongs, by its name; or the stage itself.
std::string ResultNames::step_around(const std::string& stage) const {
  std::string around;
  for (const std::string& step : names_of_steps(chain_))
    if ((stage == step || stage.starts_with(step + "_")) && step.size() > around.size()) around = step;
  return around.empty() ? stage : around;
}

AskedResults ResultNames::asked() const {
  check();
  AskedResults asked{{chain_.output}, {}};
  for (const std::string& stage : stages_) {
    if (const std::string step = step_around(stage); chain_.find(step) != nullptr) asked.wanted.insert(step);
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

void ResultNames::check() const {
  if (stages_.empty()) return;
  const app::WritableStages can_be_written = writable();
  for (const std::string& stage : stages_)
    if (const std::string reason = reason_against(stage, can_be_written); !reason.empty())
      deck_.fail(stages_key, reason);
}

/// Returns the stages that can be written in a run with this image. Steps with errors are left out.
app::WritableStages ResultNames::writable() const {
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
  add_stages(found);
  for (const std::string& stage : stages_)
    if (const Step* loop = loop_around(step_around(stage))) found.add_of_loop(stage, loop->name);
  return found;
}

/// Adds the stages that the chain has for this image.
void ResultNames::add_stages(app::WritableStages& found) const {
  const auto add = [&](const std::set<std::string>& steps) {
    found.add(build(chain_, image_.type, image_.domain, steps).pipeline);
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
