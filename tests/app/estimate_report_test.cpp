// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include <gtest/gtest.h>

#include "messages.hpp"
#include "tessera/domain/json.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace tessera::app {
namespace {

struct Mean {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return (in(x, y - 1) + in(x, y + 1)) * 0.5F;
  }
};

Pipeline mean_of(const Box& image) {
  Pipeline pipeline;
  pipeline.output(
      pipeline.stage<float>("mean", Mean(), pipeline.input<float, 2>("in", image, Boundary::clamp)), image);
  return pipeline;
}

Json estimate_of(const Pipeline& pipeline, int ranks, const EstimateSetting& setting, int threads = 1) {
  Target target;
  target.threads = threads;
  target.device = false;
  Schedule schedule;
  schedule.grid = {{1, 0}};
  return parse_json(estimate_report(pipeline, Plans(pipeline, schedule, target, ranks), setting).json());
}

EstimateSetting generic() {
  return {.machine = cost::generic_machine(), .machine_file = {}, .costs = {}, .costs_file = {}, .rank = -1};
}

const Json& value(const Json& report, const char* name) { return *report.find("estimate")->find(name); }

const Box image{{0, 512}, {0, 8192}};

// A rank inside of the image has two neighbours and is the slowest; the last one has nothing to do.
TEST(EstimateReport, ShowsTheSlowestRank) {
  const Pipeline pipeline = mean_of(image);
  const Json report = estimate_of(pipeline, 64, generic());
  EXPECT_EQ(value(report, "ranks").get<std::int64_t>(), 64);
  EXPECT_EQ(value(report, "slowest_rank").get<std::int64_t>(), 1);
  EXPECT_EQ(value(report, "steps_of_rank").get<std::int64_t>(), 1);
  double sum = 0, shares = 0;
  for (const Json& step : report.find("steps")->get<Json::List>()) {
    sum += step.find("milliseconds")->get<double>();
    shares += step.find("share")->get<double>();
  }
  EXPECT_NEAR(sum, value(report, "milliseconds").get<double>(), 1e-9 * sum);
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_LT(value(report, "milliseconds_of_fastest").get<double>(),
            value(report, "milliseconds").get<double>());
}

// Ranks of one class are estimated once, unless some of their messages go to other nodes. The result is the
// same.
TEST(EstimateReport, ClassesOfRanksCostTheSame) {
  const Pipeline pipeline = mean_of(image);
  EstimateSetting all = generic();
  all.machine.between_nodes = all.machine.within_node;
  for (const char* name : {"milliseconds", "milliseconds_of_fastest", "milliseconds_if_all_wait"})
    EXPECT_EQ(value(estimate_of(pipeline, 100, generic()), name),
              value(estimate_of(pipeline, 100, all), name));
}

TEST(EstimateReport, ShowsTheRankThatIsAskedFor) {
  const Pipeline pipeline = mean_of(image);
  EstimateSetting setting = generic();
  setting.rank = 63;
  const Json report = estimate_of(pipeline, 64, setting);
  EXPECT_EQ(value(report, "steps_of_rank").get<std::int64_t>(), 63);
  EXPECT_EQ(value(report, "slowest_rank").get<std::int64_t>(), 1);
}

TEST(EstimateReport, SaysWhatItAssumes) {
  const Pipeline pipeline = mean_of(image);
  const auto notes = [&](const EstimateSetting& setting, int ranks) {
    return value(estimate_of(pipeline, ranks, setting, 2), "notes").get<std::string>();
  };
  test::expect_message(notes(generic(), 2), {"no --machine is given", "no costs of stages are known"});
  test::expect_message(notes(generic(), 64),
                       {"64 ranks of 2 threads need 32 nodes", "has no network.between"});
  EstimateSetting setting = generic();
  setting.machine_file = "other.yaml";
  setting.machine.processor = "Abacus 12";
  setting.costs_file = "report.json";
  setting.costs["mean"] = 1e-9;
  EXPECT_TRUE(notes(setting, 2)
                  .starts_with("other.yaml: it describes 4 cores of 'Abacus 12', and this machine has "));
  EXPECT_TRUE(notes(setting, 2)
                  .ends_with("'\nfiles count nothing, as the machine file has no file.read or file.write"))
      << notes(setting, 2);
}

}  // namespace
}  // namespace tessera::app
