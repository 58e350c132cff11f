// SPDX-License-Identifier: BSD-3-Clause
#include "apps/case_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "domain/random.hpp"
#include "pipelines/case_schedule.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace tessera::test {
namespace {

struct Source final : BlockSource {
  std::function<void(const HostBlock&)> fill;
  explicit Source(std::function<void(const HostBlock&)> filled) : fill(std::move(filled)) {}
  void read(const HostBlock& block) override {
    if (!block.box.empty()) fill(block);
  }
};

struct Sink final : BlockSink {
  Result result;

  void write(const HostBlock& block) override {
    if (block.box.empty()) return;
    const std::size_t size = size_of(result.type);
    const auto row = static_cast<std::size_t>(block.box[0].size());
    Box rows = block.box;
    rows[0].end = rows[0].begin + 1;
    for_each_point(rows, [&](const Point& p) {
      std::int64_t from = 0;
      for (int d = 1; d < rows.dimensions; ++d) from += block.strides[d] * (p[d] - rows[d].begin);
      std::memcpy(&result.bytes[dense_index(result.box, p) * size],
                  block.data + from * static_cast<std::int64_t>(size), row * size);
    });
    result.written += block.box.size();
  }
};

}  // namespace

double Result::value(const Point& point) const {
  return number_at(type, &bytes[dense_index(box, point) * size_of(type)]);
}

Result run(const bench::PipelineCase& the_case, const Schedule& schedule, int ranks, int threads) {
  const ArrayDeclaration& output = the_case.output();
  std::map<std::string, Source> sources;
  sources.emplace("input", the_case.fill);
  for (const auto& [name, fill] : the_case.fill_further) sources.emplace(name, fill);
  Bindings bindings;
  for (auto& [name, source] : sources) bindings.sources.emplace(name, &source);
  Sink sink;
  sink.result.box = output.domain;
  sink.result.type = output.type;
  sink.result.bytes.resize(static_cast<std::size_t>(output.domain.size()) * size_of(output.type));
  Target target;
  target.threads = threads;
  Rehearsal(the_case.pipeline, make_plans(the_case.pipeline, schedule, target, ranks))
      .run({bindings.sources, {{output.name, &sink}}});
  return std::move(sink.result);
}

bench::Cases cases_of(const std::string& benchmark, bench::Size size) {
  for (const bench::Benchmark& one : bench::all_benchmarks())
    if (one.name == benchmark) return one.cases(size);
  throw InternalError("there is no benchmark '" + benchmark + "'");
}

Schedule schedule_of(const bench::PipelineCase& the_case, const std::string& deck,
                     const std::vector<std::string>& overrides) {
  return bench::schedule_of(the_case, TESSERA_DECKS, deck, overrides);
}

std::vector<std::string> decks_of(const bench::PipelineCase& the_case) {
  std::vector<std::string> names;
  if (the_case.application.empty()) return {""};
  const auto folder = std::filesystem::path(TESSERA_DECKS) / the_case.application;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  names.emplace_back("../auto");  // the deck for all applications
  return names;
}

void Differences::add(double a, double b) {
  const double difference = std::abs(a - b);
  ++samples;
  // Not a number is beyond, too.
  if (!(difference <= allowed)) ++beyond;
  if (!(difference <= largest)) largest = difference;
}

}  // namespace tessera::test
