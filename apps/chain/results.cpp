// SPDX-License-Identifier: BSD-3-Clause
#include "results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "build.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/domain/nearest.hpp"

namespace chain {
namespace {

using namespace tessera;

constexpr const char* stages_key = "output.stages";

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> named_stages(const deck::Deck& deck) {
  return deck.schema().find(stages_key) != nullptr && deck.is_set(stages_key)
             ? deck.get<std::vector<std::string>>(stages_key)
             : std::vector<std::string>();
}

/// Returns the stages besides the output that can be written if the chain is built for these steps.
std::vector<std::string> writable_of(const Chain& chain, const io::ImageInfo& image,
                                     const std::set<std::string>& steps) {
  return app::with_names_of(build(chain, image.type, image.domain, steps).pipeline, {}).writable_stages;
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
  const std::vector<std::string> can_be_written = writable(image);
  for (const std::string& stage : stages)
    if (const std::string reason = reason_against(stage, can_be_written); !reason.empty())
      deck.fail(stages_key, reason);
}

/// Returns the stages that can be written in a run with this image. Steps with errors are left out.
std::vector<std::string> ResultNames::writable(const io::ImageInfo& image) const {
  try {
    return writable_of(chain_, image, all_steps(chain_));
  } catch (const InputError&) {
    // A step that nothing asks for may not accept the image.
  }
  std::vector<std::string> names;
  for (const Step& step : chain_.steps) try {
      for (const std::string& name : writable_of(chain_, image, {chain_.output, step.name}))
        if (!has(names, name)) names.push_back(name);
    } catch (const InputError&) {
      // Whoever asks for this step learns of its error when the chain is built.
      if (!step.loop && step.name != chain_.output) names.push_back(step.name);
    }
  return names;
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
                                        const std::vector<std::string>& can_be_written) const {
  if (has(can_be_written, stage)) return "";
  if (stage == chain_.output)
    return fmt::format("'{}' is the output, which is written anyway: leave it out", stage);
  if (stage == main_input || has(chain_.inputs, stage))
    return fmt::format("'{}' is an input, which is not written: leave it out", stage);
  if (has(numbers_, stage))
    return fmt::format("'{}' is a number, which the run prints and reports: leave it out", stage);
  if (const Step* loop = loop_around(step_around(stage)))
    return fmt::format(
        "'{0}' changes in each turn of the loop '{1}': name a step outside the loop instead, such as 'last: "
        "{{expression: {1}}}'",
        stage, loop->name);
  if (within_.contains(stage))
    return fmt::format("a run with this image has no stage '{}': leave it out", stage);
  if (can_be_written.empty())
    return fmt::format("there is no step '{}', nor another one that can be written: leave it out", stage);
  const std::string guess = suggestion(stage, can_be_written);
  return fmt::format("there is no step or stage '{}'{}", stage,
                     guess.empty() ? fmt::format("; there are {}", fmt::join(can_be_written, ", ")) : guess);
}

}  // namespace chain
