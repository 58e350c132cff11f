// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "build.hpp"
#include "read_step.hpp"
#include "tessera/app/image_application.hpp"

namespace chain {
namespace {

using namespace tessera;
using app::PipelineApplication;

constexpr const char* expression_help = R"(expression (any images by their names)

Computes an arithmetic expression at each point. It names steps and inputs, and has numbers, pi, the
coordinates x, y and channel of the point, the extents width and height of the images, parentheses,
a + b, a - b, a * b, a / b, -a, a < b, a <= b, a > b, a >= b, a == b, a != b (1 or 0),
min(a, b, ...), max(a, b, ...), clamp(a, low, high), abs(a), sqrt(a), exp(a), log(a), pow(a, b),
floor(a), ceil(a), round(a), and select(condition, a, b). All arithmetic is that of float32.
round(a) rounds halves away from 0. If a is not a number, min(a, b) and max(a, b) are b, and clamp is low.
An expression may have 96 operations and 24 names.

Parameters:
  type: uint8, uint16, float32 (default: float32)
      The type of the result. Integers are rounded, halves to the greater one, and limited to the range of
      the type.

Example:
  bright: {expression: 'clamp(1.5 * clean - smooth, 0, 255)'}
)";

/// Returns a sentence without its remarks in parentheses that contain `<name>`, the name of a stage.
std::string without_stages(std::string sentence) {
  for (std::size_t name = 0; (name = sentence.find("<name>", name)) != std::string::npos;) {
    const std::size_t begin = sentence.rfind(" (", name), end = sentence.find(')', name);
    // `<name>` may also stand outside of parentheses. Then it stays.
    if (begin == std::string::npos || end == std::string::npos || sentence.find(')', begin) != end) {
      ++name;
      continue;
    }
    sentence.erase(begin, end + 1 - begin);
    name = begin;
  }
  return sentence;
}

/// Returns the first sentence of a text, without what follows a colon and without the names of stages.
std::string first_sentence(const std::string& text) {
  std::string sentence = text.substr(0, text.find(". "));
  sentence = without_stages(sentence.substr(0, sentence.find(": ")));
  return sentence.ends_with('.') ? sentence : sentence + ".";
}

/// Returns a list of all operators, with a line for each.
std::string list_of_operators() {
  std::size_t width = std::string(expression_word).size();
  for (const operators::Operator& one : operators::all_operators()) width = std::max(width, one.name.size());
  const auto line = [width](const std::string& operation, const std::string& help) {
    return fmt::format("  {:{}}  {}\n", operation, width, deck::wrapped(help, width + 4));
  };
  std::string text = "Operators of the steps of a chain; tessera-chain --operators NAME explains one\n",
              group;
  for (const operators::Operator& one : operators::all_operators()) {
    if (one.group != group) text += fmt::format("\n{}:\n", group = one.group);
    text += line(one.name, first_sentence(one.help));
  }
  return text + "\nany:\n" +
         line(expression_word, "Computes an arithmetic expression of several images at each point.");
}

/// Returns the explanation of the operator `name`, or a list of all operators if `name` is empty. Throws
/// InputError, which names the most similar operator, if no operator has this name.
std::string help_of_operators(const std::string& name, const deck::Deck&) {
  if (name.empty()) return list_of_operators();
  if (name == expression_word) return expression_help;
  return operators::explanation(operators::find_operator(name));
}

/// Calls use(pipeline) for pipelines that together have all steps of a chain that accept an image, even if
/// the deck does not ask for them. Calls refused(step) for each step that does not accept the image.
void each_sample(const Chain& chain, const io::ImageInfo& image, const auto& use, const auto& refused) {
  const auto sample = [&](const std::set<std::string>& steps) {
    use(build(chain, image.type, image.domain, steps).pipeline);
  };
  std::set<std::string> all;
  for (const Step& step : chain.steps) all.insert(step.name);
  try {
    return sample(all);
  } catch (const InputError&) {
    // A step that nothing asks for may refuse the image. Each step is then tried by itself.
  }
  for (const Step& step : chain.steps) try {
      sample({chain.output, step.name});
    } catch (const InputError&) {
      refused(step);
    }
}

/// The results that a deck asks for.
struct AskedResults {
  /// The steps that have to be computed. The steps that these need are not included.
  std::set<std::string> wanted;
  /// The steps, besides the output, whose results are outputs of the pipeline, and so are whole.
  std::set<std::string> whole;
};

/// The names that the key `output.stages` may have in a deck of a chain, for an image.
class ResultNames {
 public:
  /// All arguments must outlive this object.
  ResultNames(const Chain& chain, const deck::Deck& deck, const io::ImageInfo& image);

  /// Returns the results that the deck asks for. If the deck names only a stage within a step, the step
  /// becomes an output only if no other output needs it. Throws InputError, which says why, if the deck asks
  /// for something that cannot be written in a run with this image.
  AskedResults asked() const;

 private:
  void check_stages() const;
  std::string step_around(const std::string& stage) const;
  const Step* loop_around(const std::string& step) const;
  app::WritableStages writable() const;
  std::string reason_against(const std::string& stage, const app::WritableStages& can_be_written) const;

  const Chain& chain_;
  const deck::Deck& deck_;
  const io::ImageInfo& image_;
  std::vector<std::string> stages_;
  std::vector<std::string> numbers_;
};

ResultNames::ResultNames(const Chain& chain, const deck::Deck& deck, const io::ImageInfo& image)
    : chain_(chain),
      deck_(deck),
      image_(image),
      stages_(app::written_stages(deck)),
      numbers_(unread_numbers(chain, image.type, image.domain)) {}

/// Returns the name of the step that a stage belongs to, or else the name of the stage.
std::string ResultNames::step_around(const std::string& stage) const {
  std::string around;
  for (const std::string& step : names_of_steps(chain_.steps))
    if ((stage == step || stage.starts_with(step + "_")) && step.size() > around.size()) around = step;
  return around.empty() ? stage : around;
}

AskedResults ResultNames::asked() const {
  check_stages();
  AskedResults results{{chain_.output}, {}};
  for (const std::string& stage : stages_) {
    if (const std::string step = step_around(stage); chain_.find(step) != nullptr)
      results.wanted.insert(step);
    if (chain_.find(stage) != nullptr) results.whole.insert(stage);
  }
  std::set<std::string> outputs = results.whole;
  outputs.insert(chain_.output);
  outputs.insert(numbers_.begin(), numbers_.end());
  std::set<std::string> needed = needed_by(chain_, outputs);
  // The last step comes first: the steps that it reads come before it in the chain, and need not be outputs.
  for (auto step = chain_.steps.rbegin(); step != chain_.steps.rend(); ++step)
    if (results.wanted.contains(step->name) && !needed.contains(step->name)) {
      results.whole.insert(step->name);
      needed.merge(needed_by(chain_, {step->name}));
    }
  return results;
}

/// Throws InputError if the deck names a stage in output.stages that cannot be written.
void ResultNames::check_stages() const {
  if (stages_.empty()) return;
  const app::WritableStages can_be_written = writable();
  for (const std::string& stage : stages_)
    if (const std::string reason = reason_against(stage, can_be_written); !reason.empty())
      deck_.fail("output.stages", reason);
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
  each_sample(
      chain_, image_, [&](const Pipeline& sample) { found.add(sample); },
      [&](const Step& step) {
        // Whoever asks for this step learns of its error when the chain is built.
        if (!step.loop && step.name != chain_.output) found.add_name(step.name);
      });
  for (const std::string& stage : stages_)
    if (const Step* loop = loop_around(step_around(stage))) found.add_of_loop(stage, loop->name);
  return found;
}

/// Returns the loop that is the step, or that has it as an inner step, or nullptr if there is none.
const Step* ResultNames::loop_around(const std::string& step) const {
  for (const Step& outer : chain_.steps)
    if (outer.loop && (outer.name == step ||
                       std::ranges::find(outer.loop->steps, step, &Step::name) != outer.loop->steps.end()))
      return &outer;
  return nullptr;
}

/// Returns why a stage cannot be written besides the output, and what to do, or an empty text if it can.
std::string ResultNames::reason_against(const std::string& stage,
                                        const app::WritableStages& can_be_written) const {
  if (can_be_written.has(stage)) return "";
  const Step* loop = loop_around(step_around(stage));
  if (loop == nullptr || stage == chain_.output) return can_be_written.reason_against(stage);
  return fmt::format("{}: name a step outside the loop instead, such as 'last: {{expression: {}}}'",
                     can_be_written.reasons.at(stage), loop->name);
}

/// Returns a remark about the steps that are not computed, if there are any.
std::string remark(const Chain& chain, std::set<std::string> wanted,
                   const std::vector<std::string>& numbers) {
  wanted.insert(numbers.begin(), numbers.end());
  const std::set<std::string> needed = needed_by(chain, wanted);
  std::vector<std::string> others;
  for (const Step& step : chain.steps)
    if (!needed.contains(step.name)) others.push_back(step.name);
  return others.empty() ? ""
                        : fmt::format("not computed, as nothing that is written needs them: {}",
                                      fmt::join(others, ", "));
}

Pipeline build_for(const Chain& chain, const io::ImageInfo& image, const deck::Deck& deck) {
  app::check_image(image, deck, {});
  const AskedResults asked = ResultNames(chain, deck, image).asked();
  BuiltChain built = build(chain, image.type, image.domain, asked.wanted, asked.whole);
  if (const std::string line = remark(chain, asked.wanted, built.numbers); !line.empty())
    built.pipeline.remark(line);
  return std::move(built.pipeline);
}

/// Returns the application with all that follows from the chain of the deck: its inputs, its stages, and the
/// functions that make its pipeline.
PipelineApplication complete(PipelineApplication application, const deck::Deck& deck) {
  if (!deck.is_set("steps") && !deck.is_set("repeat")) return application;
  const Chain chain = read_chain(deck);
  // Instead of the key `inputs`, each input now has keys of its own.
  if (!chain.inputs.empty())
    std::erase_if(application.first_parameters, [](const auto& key) { return key.name == "inputs"; });
  for (const std::string& name : chain.inputs)
    application.further_images.push_back({.name = name,
                                          .help = "The image that steps read as '" + name + "'",
                                          .required = true,
                                          .block = "inputs." + name});
  application.result = chain.output;
  application.stages_within = [steps = names_of_steps(chain.steps)](const Algorithm& pipeline) {
    return app::stages_of_steps(pipeline, steps);
  };
  application.samples = [chain](const io::ImageInfo& image, const deck::Deck&) {
    std::vector<Pipeline> samples;
    each_sample(
        chain, image, [&](Pipeline sample) { samples.push_back(std::move(sample)); }, [](const Step&) {});
    return samples;
  };
  application.build = [chain](const io::ImageInfo& image, const deck::Deck& all) {
    return build_for(chain, image, all);
  };
  return application;
}

std::string write_program(const std::string& path, const deck::Deck& deck) {
  if (!deck.is_set("steps") && !deck.is_set("repeat"))
    throw InputError("command line: --write-cpp needs a deck with steps");
  return write_cpp(read_chain(deck), path);
}

PipelineApplication program() {
  return {.program = "tessera-chain",
          .summary = "Computes a chain of operators on an image, as a deck names them.",
          .first_parameters = chain_keys(),
          .complete = complete,
          .options = {{.name = "--operators",
                       .help = "List the operators of steps, or explain one of them",
                       .value_name = "[NAME]",
                       .text = help_of_operators},
                      {.name = "--write-cpp",
                       .help = "Write the steps that output.step needs as a C++ program; do not run",
                       .value_name = "FILE",
                       .needs_value = true,
                       .text = write_program}},
          .default_compute = "auto",
          .build = [](const io::ImageInfo&, const deck::Deck&) -> Pipeline {
            throw InternalError("a chain is built before its deck is read");
          }};
}

}  // namespace
}  // namespace chain

int main(int argc, char** argv) {
  return tessera::app::run_pipeline_application(argc, argv, chain::program());
}
