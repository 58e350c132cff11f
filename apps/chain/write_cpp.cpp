// SPDX-License-Identifier: BSD-3-Clause
#include "write_cpp.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "build.hpp"
#include "samples.hpp"
#include "tessera/expressions/expression.hpp"
#include "tessera/io/text_file.hpp"

namespace chain {
namespace {

using namespace tessera;

/// Returns the name of a variable, which ends with '_', so that it is no other name of the program.
std::string variable(const std::string& name) { return name + "_"; }

std::string text_literal(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return quoted + "\"";
}

std::string number_literal(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string list_literal(const std::vector<double>& numbers) {
  std::vector<std::string> texts;
  for (const double number : numbers) texts.push_back(number_literal(number));
  return fmt::format("std::vector<double>{{{}}}", fmt::join(texts, ", "));
}

struct ValueLiteral {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("std::int64_t({})", value); }
  std::string operator()(double value) const { return number_literal(value); }
  std::string operator()(const std::string& value) const {
    return fmt::format("std::string({})", text_literal(value));
  }
  std::string operator()(const std::vector<double>& value) const { return list_literal(value); }
  std::string operator()(const operators::Matrix& value) const {
    std::vector<std::string> rows;
    for (const auto& row : value) rows.push_back(list_literal(row));
    return fmt::format("operators::Matrix{{{}}}", fmt::join(rows, ", "));
  }
};

std::string type_literal(ElementType type) { return fmt::format("ElementType::{}", name_of(type)); }

/// Returns the images that an expression names as an initialiser of a map.
std::string named_images(const std::string& expression) {
  std::vector<std::string> entries;
  const expressions::Expression parsed(expression);
  for (const auto& name : parsed.names())
    entries.push_back(fmt::format("{{{}, {}}}", text_literal(name.text), variable(name.text)));
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

std::string line_of(const Step& step) {
  if (!step.operation)
    return fmt::format(
        "operators::expression(pipeline, {}, {}, {{.type = {}, .domain = domain, .name = {}}})",
        text_literal(step.expression), named_images(step.expression), type_literal(step.type),
        text_literal(step.name));
  std::vector<std::string> images, values;
  for (const Operand& operand : step.operands) images.push_back(variable(operand.name));
  for (const Setting& setting : step.settings)
    values.push_back(
        fmt::format("{{{}, {}}}", text_literal(setting.name), std::visit(ValueLiteral(), setting.value)));
  return fmt::format("apply(pipeline, {}, {{{}}}, {{{}}}, {})", text_literal(step.operation->name),
                     fmt::join(images, ", "), fmt::join(values, ", "), text_literal(step.name));
}

std::string lines_of(const Step& step, const std::string& indent);

std::string lines_of_loop(const Step& step, const std::string& indent) {
  const Loop& loop = *step.loop;
  const std::string begin = variable(loop.begin.name), name = variable(step.name);
  std::string text = fmt::format(
      "{0}const auto {1} = operators::expression(pipeline, \"begin\", {{{{\"begin\", {2}}}}}, {{.type = {3}, "
      ".name = {4}}});\n"
      "{0}pipeline.bound({1}.id, {1}.domain, borders());\n"
      "{0}pipeline.repeat({4}, {5}, [&](const Pipeline::Loop& loop) {{\n",
      indent, name, begin, loop.has_type ? type_literal(loop.type) : begin + ".type", text_literal(step.name),
      loop.turns);
  for (const Step& inner : loop.steps) text += lines_of(inner, indent + "  ");
  text += fmt::format("{}  loop.feed(Array<float, 2>{{{}.id}}, Array<float, 2>{{{}.id}});\n", indent,
                      variable(loop.next.name), name);
  if (!loop.until.empty())
    text +=
        fmt::format("{}  loop.until(operators::condition(pipeline, {}, {}, {}));\n", indent,
                    text_literal(loop.until), named_images(loop.until), text_literal(step.name + "_ends"));
  return text + indent + "});\n";
}

std::string lines_of(const Step& step, const std::string& indent) {
  if (step.loop) return lines_of_loop(step, indent);
  return fmt::format("{}const auto {} = {};\n", indent, variable(step.name), line_of(step));
}

/// Returns the samples that have stages which no sample before them has.
std::vector<Sample> different_samples(const Chain& chain) {
  std::vector<Sample> samples;
  std::set<std::string> known;
  for (Sample& sample : samples_of(chain, {chain.output})) {
    const std::size_t before = known.size();
    for (const auto& array : sample.built.pipeline.arrays()) known.insert(array.name);
    if (known.size() > before) samples.push_back(std::move(sample));
  }
  return samples;
}

/// Returns the statements that tell the application the names of the stages in a sample.
std::string lines_of_sample(const Sample& sample) {
  std::string domain;
  for (int d = 0; d < sample.domain.dimensions; ++d)
    domain += fmt::format("{}{{0, {}}}", d > 0 ? ", " : "", sample.domain[d].size());
  return fmt::format(
      "  application = app::with_names_of(make_pipeline({}, Box{{{}}}), std::move(application));\n",
      type_literal(sample.type), domain);
}

constexpr const char* program_text = R"(// Written by tessera-chain --write-cpp.
#include <tessera/app/image_application.hpp>
#include <tessera/operators/expression.hpp>
#include <tessera/operators/registry.hpp>

namespace {{

using namespace tessera;

/// Adds the operator `name` to a pipeline, as the stage `step`.
[[maybe_unused]] operators::Image apply(Pipeline& pipeline, const char* name, const std::vector<operators::Image>& images,
                                        const operators::ParameterValues& values, const char* step) {{
  return operators::find_operator(name).apply(pipeline, images, values, step);
}}

/// The nearest point of the border, in x and y.
[[maybe_unused]] BoundaryConditions borders() {{
  BoundaryConditions conditions(Boundary::clamp);
  for (std::size_t d = 2; d < max_dimensions; ++d) conditions.side[d] = {{}};
  return conditions;
}}

Pipeline make_pipeline(ElementType type, const Box& domain) {{
  Pipeline pipeline;
{0}  operators::output(pipeline, {1});
  return pipeline;
}}

}}  // namespace

int main(int argc, char** argv) {{
  app::PipelineApplication application{{
      .program = {2},
      .summary = "Computes a chain of operators on an image.",
      .further_images = {{{3}}},
      .default_compute = "auto",
      .stages_within = {{{5}}},
      .build = [](const io::ImageInfo& image, const deck::Deck&) {{ return make_pipeline(image.type, image.domain); }}}};
{4}  return app::run_pipeline_application(argc, argv, application);
}}
)";

}  // namespace

std::string cpp_of(const Chain& chain, const std::string& name) {
  const std::vector<Sample> samples = different_samples(chain);
  if (samples.empty())
    throw InputError(fmt::format(
        "{}: the chain accepts no image of any kind that was tried: run it with an image to see why",
        chain.find(chain.output)->location));
  const std::vector<std::string>& numbers = samples.front().built.numbers;
  std::set<std::string> wanted(numbers.begin(), numbers.end());
  wanted.insert(chain.output);
  const std::set<std::string> needed = needed_by(chain, wanted);
  std::vector<std::string> inputs{main_input}, images;
  for (const std::string& input : chain.inputs)
    if (needed.contains(input)) inputs.push_back(input);
  std::string steps;
  for (const std::string& input : inputs)
    steps += fmt::format("  [[maybe_unused]] const auto {} = operators::input(pipeline, {}, type, domain);\n",
                         variable(input), text_literal(input));
  for (std::size_t i = 1; i < inputs.size(); ++i)
    images.push_back(fmt::format("{{.name = {}, .help = \"A further image\", .required = true, .block = {}}}",
                                 text_literal(inputs[i]), text_literal("inputs." + inputs[i])));
  for (const Step& step : chain.steps)
    if (needed.contains(step.name)) steps += lines_of(step, "  ");
  for (const std::string& number : numbers)
    steps += fmt::format("  operators::output(pipeline, {});\n", variable(number));
  std::string names;
  std::map<std::string, std::string> within;
  for (const Sample& sample : samples) {
    names += lines_of_sample(sample);
    within.insert(sample.built.within.begin(), sample.built.within.end());
  }
  std::vector<std::string> pairs;
  for (const auto& [stage, step] : within)
    pairs.push_back(fmt::format("{{{}, {}}}", text_literal(stage), text_literal(step)));
  return fmt::format(program_text, steps, variable(chain.output), text_literal(name), fmt::join(images, ", "),
                     names, fmt::join(pairs, ", "));
}

std::string write_cpp(const Chain& chain, const std::string& path) {
  io::TextFile(MPI_COMM_SELF, path).write(cpp_of(chain, std::filesystem::path(path).stem().string()));
  return fmt::format("{}: a C++ program; link it with Tessera::tessera and Tessera::operators\n", path);
}

}  // namespace chain
