// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "build.hpp"
#include "listing.hpp"
#include "read_chain.hpp"
#include "results.hpp"
#include "tessera/app/image_application.hpp"
#include "write_cpp.hpp"

namespace chain {
namespace {

using namespace tessera;
using app::PipelineApplication;

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
  const ResultNames names(chain, deck, image);
  const AskedResults asked = names.asked();
  Pipeline pipeline = build(chain, image.type, image.domain, asked.wanted, asked.whole).pipeline;
  if (const std::string line = remark(chain, asked.wanted, names.numbers()); !line.empty())
    pipeline.remark(line);
  return pipeline;
}

/// Returns pipelines with the steps of a chain that accept an image, whether the deck asks for them or not.
std::vector<Pipeline> samples(const Chain& chain, const io::ImageInfo& image) {
  std::vector<Pipeline> samples;
  const auto add = [&](const std::set<std::string>& steps) {
    samples.push_back(build(chain, image.type, image.domain, steps).pipeline);
  };
  try {
    add(all_steps(chain));
    return samples;
  } catch (const InputError&) {
    // Steps that nothing asks for may not accept the image.
  }
  for (const Step& step : chain.steps) try {
      add({chain.output, step.name});
    } catch (const InputError&) {
    }
  return samples;
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
  application.result = chain.output;
  application.stages_within = [steps = names_of_steps(chain)](const Algorithm& pipeline) {
    return app::stages_of_steps(pipeline, steps);
  };
  application.samples = [chain](const io::ImageInfo& image, const deck::Deck&) {
    return samples(chain, image);
  };
  application.build = [chain](const io::ImageInfo& image, const deck::Deck& all) {
    return build_for(chain, image, all);
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
