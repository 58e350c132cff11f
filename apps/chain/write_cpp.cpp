// SPDX-License-Identifier: BSD-3-Clause
#include "chain.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>

#include "build.hpp"
#include "tessera/expressions/expression.hpp"
#include "tessera/io/text_file.hpp"

namespace chain {
namespace {

using namespace tessera;

/// Returns the variable of a step or input. It ends with '_', as no other name of the program does.
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

/// Returns the value of a parameter as C++ text.
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

/// Returns the initialiser of a map that has the image of each name in an expression.
std::string named_images(const std::string& expression) {
  std::vector<std::string> entries;
  const expressions::Expression parsed(expression);
  for (const auto& name : parsed.names())
    entries.push_back(fmt::format("{{{}, {}}}", text_literal(name.text), variable(name.text)));
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

/// Returns the C++ call that adds a step, which is not a loop.
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

/// Returns the C++ statements that add a step.
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

/// Returns the pipeline for the first kind of image that the chain accepts, or nothing. The kinds are images
/// without channels and with one to four, of types that operators take, and of int16, which they do not take.
/// The images are large, so that parts can be cut out of them.
std::optional<BuiltChain> sample_of(const Chain& chain) {
  for (const ElementType type :
       {ElementType::int16, ElementType::uint8, ElementType::uint16, ElementType::float32})
    for (const int channels : {0, 3, 1, 2, 4})
      for (const std::int64_t side : {std::int64_t(1) << 14, std::int64_t(1) << 18}) try {
          const Box plane{{0, side}, {0, side}};
          return build(chain, type, channels == 0 ? plane : Box{plane[0], plane[1], {0, channels}},
                       {chain.output});
        } catch (const InputError&) {
          // Another kind of images may be accepted.
        }
  return std::nullopt;
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
      .stages_within = [](const Algorithm& pipeline) {{ return app::stages_of_steps(pipeline, {{{4}}}); }},
      .build = [](const io::ImageInfo& image, const deck::Deck&) {{ return make_pipeline(image.type, image.domain); }}}};
  return app::run_pipeline_application(argc, argv, application);
}}
)";

}  // namespace

std::string cpp_of(const Chain& chain, const std::string& name) {
  const std::optional<BuiltChain> sample = sample_of(chain);
  if (!sample)
    throw InputError(fmt::format(
        "{}: the chain accepts no image of any kind that was tried: run it with an image to see why",
        chain.find(chain.output)->location));
  const std::vector<std::string>& numbers = sample->numbers;
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
  std::vector<std::string> names;
  for (const std::string& name : names_of_steps(chain.steps)) names.push_back(text_literal(name));
  return fmt::format(program_text, steps, variable(chain.output), text_literal(name), fmt::join(images, ", "),
                     fmt::join(names, ", "));
}

std::string write_cpp(const Chain& chain, const std::string& path) {
  io::TextFile(MPI_COMM_SELF, path).write(cpp_of(chain, std::filesystem::path(path).stem().string()));
  return fmt::format("{}: a C++ program; link it with Tessera::tessera and Tessera::operators\n", path);
}

}  // namespace chain
