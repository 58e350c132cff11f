// SPDX-License-Identifier: BSD-3-Clause
// Random chains: on any number of ranks and by any schedule they give the same bits as their steps one by
// one.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "chain_support.hpp"

namespace {

using namespace tessera;
using operators::Operator;
using operators::Parameter;
using operators::ParameterKind;
using test::Random;

#if defined(TESSERA_CHECKS) || defined(TESSERA_TEST_FEWER)
constexpr int chain_count = 30;
#else
constexpr int chain_count = 300;
#endif

double random_number(Random& random, const Parameter& parameter) {
  // Large shifts would need large images.
  const double low = std::max(parameter.least, -4.0);
  const double high = std::min(std::isinf(parameter.greatest) ? low + 8 : parameter.greatest, low + 8);
  return low + (high - low) * random.small(0, 16) / 16;
}

std::int64_t random_whole(Random& random, const Parameter& parameter) {
  auto whole = static_cast<std::int64_t>(std::floor(random_number(random, parameter)));
  if (parameter.odd && whole % 2 == 0) ++whole;
  return whole;
}

std::string random_list(Random& random, const Parameter& parameter, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i > 0 ? ", " : "[") + operators::to_string(random_number(random, parameter));
  return text + "]";
}

/// A value as it is written in a deck, which the operator may or may not accept.
std::string random_value(Random& random, const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::boolean:
      return random.chance(50) ? "true" : "false";
    case ParameterKind::integer:
      return std::to_string(random_whole(random, parameter));
    case ParameterKind::number:
      return operators::to_string(random_number(random, parameter));
    case ParameterKind::word:
      return random.one_of(parameter.choices);
    case ParameterKind::pair:
      return "[" + std::to_string(random_whole(random, parameter)) + ", " +
             std::to_string(random_whole(random, parameter)) + "]";
    case ParameterKind::list:
      return random_list(random, parameter, random.small(1, 3));
    case ParameterKind::matrix:
      break;
  }
  const int columns = random.one_of<int>({1, 3, 5}), rows = random.one_of<int>({1, 3});
  std::string text = "[";
  for (int i = 0; i < rows; ++i) text += (i > 0 ? ", " : "") + random_list(random, parameter, columns);
  return text + "]";
}

std::string random_expression(Random& random, const std::vector<std::string>& names) {
  const std::string a = random.one_of(names), b = random.one_of(names), c = random.one_of(names);
  return random.one_of<std::string>(
      {"clamp(1.5 * " + a + " - " + b + ", 0, 255)", "(" + a + " + " + b + ") / 2",
       "abs(" + a + " - " + b + ") * 0.5 + " + c, "select(" + a + " > " + b + ", " + c + ", x + 2 * y)",
       "sqrt(abs(" + a + ")) + min(" + b + ", " + c + ", 7)", a + " * " + b + " - " + a + " * " + c});
}

bool is_accepted(const std::string& text, const std::string& output, ElementType type, const Box& domain) {
  return test::chain_error(text + "output: {step: " + output + "}\n", type, domain) == "no error";
}

/// A step that the chain may or may not accept.
std::string random_step(Random& random, const std::string& name, const std::vector<std::string>& names) {
  if (random.chance(25))
    return "  " + name + ": {expression: '" + random_expression(random, names) +
           "', type: " + random.one_of<std::string>({"uint8", "uint16", "float32"}) + "}\n";
  const Operator& one = operators::all_operators()[static_cast<std::size_t>(
      random.small(0, static_cast<int>(operators::all_operators().size()) - 1))];
  const int inputs = random.small(one.required_inputs, static_cast<int>(one.inputs.size()));
  std::string text = "  " + name + ": {" + one.name + ": [";
  for (int i = 0; i < inputs; ++i) text += (i > 0 ? ", " : "") + random.one_of(names);
  text += "]";
  for (const Parameter& parameter : one.parameters)
    if ((!parameter.default_value && !parameter.optional) || random.chance(40))
      text += ", " + parameter.name + ": " + random_value(random, parameter);
  return text + "}\n";
}

/// A chain of 4 to 12 steps for images of a type and a size. Its output is the last step that is an image.
std::string random_chain(Random& random, ElementType type, const Box& domain) {
  const int steps = random.small(4, 12);
  std::string text = "steps:\n", output;
  std::vector<std::string> names{"input"};
  for (int tries = 0; static_cast<int>(names.size()) <= steps && tries < 400; ++tries) {
    const std::string name = "s" + std::to_string(names.size());
    // The last results are read more often, so that chains become long.
    std::vector<std::string> readable = names;
    for (std::size_t i = names.size() > 3 ? names.size() - 3 : 0; i < names.size(); ++i)
      readable.insert(readable.end(), 2, names[i]);
    const std::string longer = text + random_step(random, name, readable);
    std::string image = name;
    if (!is_accepted(longer, image, type, domain)) {
      if (output.empty() || !is_accepted(longer, output, type, domain)) continue;
      image = output;
    }
    text = longer;
    output = image;
    names.push_back(name);
  }
  return text + "output: {step: " + output + "}\n";
}

TEST(RandomChains, EqualTheirStepsOneByOne) {
  Random random(31);
  std::map<std::string, int> used;
  int total_runs = 0;
  for (int i = 0; i < chain_count; ++i) {
    const auto type =
        random.one_of<ElementType>({ElementType::uint8, ElementType::uint16, ElementType::float32});
    Box domain{{0, random.small(1, 40)}, {0, random.small(1, 30)}};
    if (random.chance(30)) domain = Box{domain[0], domain[1], {0, random.small(1, 4)}};
    const std::string text = random_chain(random, type, domain);
    const chain::Chain chain = test::chain_of(text);
    ASSERT_GE(chain.steps.size(), 4U);
    for (const chain::Step& step : chain.steps)
      ++used[step.operation != nullptr ? step.operation->name : "expression"];
    const std::map<std::string, test::Numbers> inputs{{"input", test::random_numbers(random, type, domain)}};
    const auto expected = test::step_by_step(chain, inputs);
    const chain::BuiltChain built = chain::build(chain, type, domain, {chain.output});
    int runs = 0;
    for (int k = 0; k < 8 && runs < 4; ++k) {
      const Schedule schedule = test::random_schedule(random, built.pipeline);
      const int ranks = random.small(1, 16);
      std::map<std::string, test::Numbers> results;
      try {
        results = test::run_chain(built.pipeline, schedule, ranks, random.small(1, 2), inputs);
      } catch (const ScheduleError&) {
        continue;  // The schedule divides what is computed in whole lines.
      }
      ++runs;
      ++total_runs;
      ASSERT_TRUE(results.contains(chain.output)) << text;
      for (const auto& [name, result] : results) {
        ASSERT_EQ(result.type, expected.at(name).type) << text;
        ASSERT_TRUE(result.array.same_bits(expected.at(name).array))
            << name << " of\n"
            << text << test::to_string(schedule) << " on " << ranks << " of " << to_string(domain) << " of "
            << name_of(type);
      }
    }
  }
  EXPECT_GT(total_runs, 2 * chain_count);
  std::string unused;
  for (const Operator& one : operators::all_operators())
    if (used[one.name] == 0) unused += one.name + " ";
  RecordProperty("operators_that_no_chain_had", unused);
  EXPECT_GT(used.size(), operators::all_operators().size() / 2) << unused;
}

}  // namespace
