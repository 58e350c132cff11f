// SPDX-License-Identifier: BSD-3-Clause
#include "chain_support.hpp"

#include <memory>
#include <vector>

#include "tessera/deck/load.hpp"
#include "tessera/operators/expression.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace tessera::test {
namespace {

/// Gives the points of an array as elements of its type.
class NumberSource final : public BlockSource {
 public:
  explicit NumberSource(const Numbers& numbers) : numbers_(&numbers) {}
  void read(const HostBlock& block) override {
    with_element_type(numbers_->type, [&]<class T>(std::type_identity<T>) {
      for_each_point(block.box, [&](const Point& p) {
        element_of<T>(block, p) = static_cast<T>(numbers_->array.at(p));
      });
    });
  }

 private:
  const Numbers* numbers_;
};

/// Gathers the points of an array.
class NumberSink final : public BlockSink {
 public:
  explicit NumberSink(const ArrayDeclaration& array)
      : numbers{array.type, WholeArray<double>(array.domain)} {}
  void write(const HostBlock& block) override {
    with_element_type(numbers.type, [&]<class T>(std::type_identity<T>) {
      for_each_point(block.box, [&](const Point& p) {
        numbers.array.at(p) = static_cast<double>(element_of<T>(block, p));
      });
    });
  }
  Numbers numbers;
};

operators::Image input_of(Pipeline& pipeline, const std::string& name, const Numbers& numbers) {
  const Box& box = numbers.array.box;
  if (box.dimensions > 1) return operators::input(pipeline, name, numbers.type, box);
  return with_element_type(numbers.type, [&]<class T>(std::type_identity<T>) {
    return operators::image_of(pipeline, pipeline.input<T, 1>(name, box));
  });
}

}  // namespace

chain::Chain chain_of(const std::string& text) {
  deck::Schema schema;
  for (deck::KeyDeclaration key : chain::chain_keys()) {
    key.required = false;
    schema.add(key);
  }
  return chain::read_chain(deck::load_declared(schema, {{"chain.yaml", text}}));
}

std::string chain_error(const std::string& text, ElementType type, const Box& domain) {
  try {
    const chain::Chain chain = chain_of(text);
    std::set<std::string> all;
    for (const chain::Step& step : chain.steps) all.insert(step.name);
    chain::build(chain, type, domain, all);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Numbers random_numbers(Random& random, ElementType type, const Box& box) {
  Numbers numbers{type, WholeArray<double>(box)};
  const int most = type == ElementType::uint16 ? 65535 : 255;
  for (double& value : numbers.array.values)
    value = type == ElementType::float32 ? random.small(-100, 300) / 256.0 : random.small(0, most);
  return numbers;
}

std::map<std::string, Numbers> run_chain(const Algorithm& pipeline, const Schedule& schedule, int ranks,
                                         int threads, const std::map<std::string, Numbers>& inputs) {
  const Rounds rounds = in_rounds(pipeline, schedule);
  std::vector<std::unique_ptr<NumberSource>> sources;
  std::map<std::string, NumberSink> sinks;
  Bindings bindings;
  for (const ArrayDeclaration& array : pipeline.arrays()) {
    if (array.is_input()) {
      sources.push_back(std::make_unique<NumberSource>(inputs.at(array.name)));
      bindings.sources[array.name] = sources.back().get();
    }
    if (array.is_output) {
      bindings.sinks[array.name] = &sinks.emplace(array.name, NumberSink(array)).first->second;
    }
  }
  Target target;
  target.threads = threads;
  Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, target, ranks)).run(bindings);
  std::map<std::string, Numbers> outputs;
  for (auto& [name, sink] : sinks) outputs.emplace(name, std::move(sink.numbers));
  return outputs;
}

std::map<std::string, Numbers> step_by_step(const chain::Chain& chain,
                                            const std::map<std::string, Numbers>& inputs) {
  std::map<std::string, Numbers> known = inputs;
  for (const chain::Step& step : chain.steps) {
    Pipeline pipeline;
    std::map<std::string, operators::Image> images;
    std::vector<operators::Image> read;
    for (const chain::Operand& operand : step.operands) {
      if (!images.contains(operand.name))
        images[operand.name] = input_of(pipeline, operand.name, known.at(operand.name));
      read.push_back(images.at(operand.name));
    }
    operators::ParameterValues values;
    for (const chain::Setting& setting : step.settings) values[setting.name] = setting.value;
    const operators::Image result =
        step.operation != nullptr
            ? step.operation->apply(pipeline, read, values, step.name)
            : operators::expression(
                  pipeline, step.expression, images,
                  {.type = step.type, .domain = inputs.at("input").array.box, .name = step.name});
    operators::output(pipeline, result);
    known[step.name] = run_chain(pipeline, {}, 1, 1, known).at(step.name);
  }
  return known;
}

}  // namespace tessera::test
