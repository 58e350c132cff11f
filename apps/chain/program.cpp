// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "build.hpp"
#include "listing.hpp"
#include "read_chain.hpp"
#include "results.hpp"
#include "samples.hpp"
#include "tessera/app/image_application.hpp"
#include "write_cpp.hpp"

namespace chain {
namespace {

using namespace tessera;
using app::PipelineApplication;

/// Adds the names of the stages that the chain has for any image.
void add_names(PipelineApplication& application, const Chain& chain) {
  for (Sample& sample : samples_of(chain, all_steps(chain))) {
    application = app::with_names_of(sample.built.pipeline, std::move(application));
    application.stages_within.merge(sample.built.within);
  }
}

/// Returns a line about the steps that are not computed, if there are any.
std::string remark(const Chain& chain, std::set<std::string> wanted,
                   const std::vector<std::string>& numbers) {
  wanted.insert(numbers.begin(), numbers.end());
  const std::set<std::string> needed = needed_by(chain, wanted);
  std::vector<std::string> others;
  for (const Step& step : chain.steps)
    if (!needed.contains(step.name)) others.push_back(step.name);
  return others.empty() ? ""
                        : fmt::format("not computed, as nothing that is written needs them: {}\n",
                                      fmt::join(others, ", "));
}

PipelineApplication complete(PipelineApplication application, const deck::Deck& deck) {
  if (!deck.is_set("steps") && !deck.is_set("repeat")) return application;
  const Chain chain = read_chain(deck);
  // The names of the inputs are known now, and what the deck says of each of them are keys of its own.
  if (!chain.inputs.empty())
    std::erase_if(application.first_parameters, [](const auto& key) { return key.name == "inputs"; });
  for (const std::string& name : chain.inputs)
    application.further_images.push_back({.name = name,
                                          .help = "The image that steps read as '" + name + "'",
                                          .required = true,
                                          .block = "inputs." + name});
  add_names(application, chain);
  if (application.output.empty()) {
    // No sample image fits. If the image of the run does, at least the steps can be scheduled.
    application.output = chain.output;
    application.has_names_of_samples = true;
    for (const Step& step : chain.steps)
      if (step.name != chain.output) application.stages.push_back(step.name);
  }
  const ResultNames names(chain, application.stages_within, application.numbers);
  application.remark = [chain, names, numbers = application.numbers](const deck::Deck& all) {
    return remark(chain, names.asked_in(all).wanted, numbers);
  };
  application.build = [chain, names](const io::ImageInfo& image, const deck::Deck& all) {
    app::check_image(image, all, {});
    names.check(all, image);
    const AskedResults asked = names.asked_in(all);
    return build(chain, image.type, image.domain, asked.wanted, asked.whole).pipeline;
  };
  return application;
}

std::string help_of_operators(const std::string& name, const deck::Deck&) { return listing(name); }

std::string write_program(const std::string& path, const deck::Deck& deck) {
  if (!deck.is_set("steps") && !deck.is_set("repeat"))
    throw InputError("command line: --write-cpp needs a deck with steps");
  return write_cpp(read_chain(deck), path);
}

}  // namespace

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

}  // namespace chain
