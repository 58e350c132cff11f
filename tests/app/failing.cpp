// SPDX-License-Identifier: BSD-3-Clause
// A program whose own code fails, on one rank or on all of them, or that refuses its images; its first word
// says where.
#include <chrono>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tessera/app/image_application.hpp"
#include "tessera/app/job_application.hpp"
#include "tessera/app/session.hpp"
#include "tessera/graph/graph.hpp"

namespace {

using namespace tessera;

struct Zero {
  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord x, Coord) const {
    return cast<float>(x * 0);
  }
};

Pipeline nothing() {
  Pipeline pipeline;
  pipeline.output(pipeline.stage<float, 2>("zero", Zero{}), Box{{0, 8}, {0, 8}});
  return pipeline;
}

/// A rank that knows nothing of the failure of the last one, and waits for it.
int wait_for_the_last(int argc, char** argv) {
  return app::run_program(argc, argv, "failing", [](app::Session& session, int, char**) {
    if (session.rank() + 1 == session.rank_count()) throw std::runtime_error("the last rank fails");
    MPI_Barrier(session.communicator());
    return app::ExitStatus::done;
  });
}

/// Stands for work that takes longer than anyone waits. Leaves a file that tells that it has begun.
void stall() {
  std::ofstream("begun");
  std::this_thread::sleep_for(std::chrono::minutes(2));
  throw std::runtime_error("nobody has ended the run");
}

/// An iteration whose third turn has no residual, or takes too long on the last rank.
class FailingIteration final : public app::IterationProgram {
 public:
  FailingIteration(const app::JobSetting& setting, bool stalls)
      : stalls_(stalls), is_last_(setting.session.rank() + 1 == setting.session.rank_count()) {}
  std::vector<std::string> files() const override { return {}; }
  std::string check() override { return {}; }
  cost::Work work(int) const override { return {{{.name = "solve", .times = 10, .operations = 1}}}; }
  void prepare(app::JobRunner&) override {}
  std::string explain() override { return {}; }
  std::vector<io::FileArray> arrays() const override { return {{"turns", ElementType::float64, {{0, 1}}}}; }
  void load(int, BlockSource&) override {}
  void store(int, BlockSink&) override {}
  void begin() override {}
  app::IterationTurn turn() override {
    if (stalls_ && is_last_ && turns_ == 2) stall();
    return {++turns_ < 3 || stalls_ ? 1.0 : std::numeric_limits<double>::quiet_NaN(), false};
  }
  void end(app::JobRunner& runner) override { runner.say("has ended"); }

 private:
  bool stalls_, is_last_;
  int turns_ = 0;
};

int fail_in_iteration(int argc, char** argv, bool stalls) {
  app::IterationApplication application{
      .program = "failing", .summary = "Fails.", .loop = "solve", .residual = "change"};
  application.keys = {
      {.name = "turns", .type = deck::ValueType::integer, .help = "The turns", .default_text = "10"}};
  application.make = [stalls](const app::JobSetting& setting) {
    return std::make_unique<FailingIteration>(setting, stalls);
  };
  return app::run_iteration_application(argc, argv, application);
}

/// A graph whose calls on the last rank take a while, or too long.
class SlowGraph final : public app::GraphProgram {
 public:
  SlowGraph(const app::JobSetting& setting, std::string_view place) {
    const bool stalls = place == "graph-stalls";
    const bool is_slow = place != "graph-quick" && setting.session.rank() + 1 == setting.session.rank_count();
    const auto numbers = graph_.source("count", {.rank = graph::Task::every_rank}, [](std::int64_t i) {
      return i < 3 ? std::optional(i) : std::nullopt;
    });
    const auto work = [is_slow, stalls](std::int64_t) {
      if (is_slow && stalls) stall();
      if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(2000));
    };
    graph_.sink("work", {}, work, numbers);
  }
  std::vector<graph::Graph*> graphs() override { return {&graph_}; }
  std::vector<std::string> files() const override { return {}; }
  std::string check() override { return {}; }
  cost::Work work(int) const override { return {{{.name = "work", .operations = 1}}}; }
  app::ExitStatus run(app::JobRunner& runner) override {
    runner.run(graph_);
    return app::ExitStatus::done;
  }

 private:
  graph::Graph graph_{"slow"};
};

int run_slow_graph(int argc, char** argv, std::string_view place) {
  app::GraphApplication application{
      .program = "failing", .summary = "Is slow.", .graphs = {app::GraphNames()}};
  application.make = [place](const app::JobSetting& setting) {
    return std::make_unique<SlowGraph>(setting, place);
  };
  return app::run_graph_application(argc, argv, application);
}

/// Stands for a library that needs longer than anyone waits.
struct Stall {
  static Box footprint(int, const Box& box) { return box; }
  void operator()(const LibraryBlock<const float>&, const LibraryBlock<float>&) const { stall(); }
};

/// Stands for a library that needs a while.
struct Sleep {
  static Box footprint(int, const Box& box) { return box; }
  void operator()(const LibraryBlock<const float>&, const LibraryBlock<float>&) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
};

/// Stands for a body of a user that fails on the last rank only.
struct FailAlone {
  static Box footprint(int, const Box& box) { return box; }
  void operator()(const LibraryBlock<const float>&, const LibraryBlock<float>&) const {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank + 1 == ranks) throw std::runtime_error("the last rank fails");
  }
};

Pipeline failing_alone() {
  Pipeline pipeline;
  const auto first = pipeline.stage<float, 2>("first", Zero{});
  pipeline.output(pipeline.library_stage<float, 2>("second", FailAlone{}, {}, first), Box{{0, 8}, {0, 8}});
  return pipeline;
}

Pipeline stalling() {
  const Box box{{0, 8}, {0, 8}};
  Pipeline pipeline;
  const auto first = pipeline.stage<float, 2>("first", Zero{});
  pipeline.output(pipeline.library_stage<float, 2>("second", Stall{}, {}, first), box);
  return pipeline;
}

/// Its library steps take longer together than `watchdog` of the tests allows for one.
Pipeline sleeping() {
  Pipeline pipeline;
  Array<float, 2> last = pipeline.stage<float, 2>("first", Zero{});
  for (const char* name : {"second", "third", "fourth", "fifth"})
    last = pipeline.library_stage<float, 2>(name, Sleep{}, {}, last);
  pipeline.output(last, Box{{0, 8}, {0, 8}});
  return pipeline;
}

int generate(int argc, char** argv, Pipeline (*pipeline)()) {
  app::PipelineApplication application{.program = "failing", .summary = "Stands still, is slow, or fails."};
  application.generate = [pipeline](const deck::Deck&) { return pipeline(); };
  return app::run_pipeline_application(argc, argv, application);
}

int fail_in_pipeline(int argc, char** argv, std::string_view place) {
  app::PipelineApplication application{.program = "failing", .summary = "Fails."};
  application.generate = [place](const deck::Deck&) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (place == "pipeline" && rank + 1 == ranks) throw std::runtime_error("no pipeline");
    return nothing();
  };
  application.verdict = [place](const auto&, const deck::Deck&) -> std::string {
    if (place == "verdict") throw std::runtime_error("no verdict");
    return "";
  };
  if (place == "picture") application.picture = "zero";
  return app::run_pipeline_application(argc, argv, application);
}

struct Copy {
  template <class Image, class Coord>
  KOKKOS_FUNCTION auto operator()(const Image& image, Coord x, Coord y) const {
    return image(x, y);
  }
};

/// Copies an image of finite floats twice, so that there are stages to divide into tasks.
Pipeline copies(const Box& box) {
  Pipeline pipeline;
  const auto first = pipeline.stage<float>("first", Copy{}, pipeline.input<float, 2>("input", box));
  pipeline.output(pipeline.stage<float>("second", Copy{}, first), box);
  return pipeline;
}

/// Copies an image, which takes too long.
Pipeline stalling_copy(const Box& box) {
  Pipeline pipeline;
  const auto first = pipeline.stage<float>("first", Copy{}, pipeline.input<std::uint8_t, 2>("input", box));
  pipeline.output(pipeline.library_stage<float, 2>("second", Stall{}, {}, first), box);
  return pipeline;
}

int stall_in_series(int argc, char** argv) {
  app::PipelineApplication application{.program = "failing", .summary = "Stands still."};
  application.build = [](const io::ImageInfo& image, const deck::Deck&) {
    return stalling_copy(image.domain);
  };
  return app::run_pipeline_application(argc, argv, application);
}

int copy_finite_images(int argc, char** argv) {
  app::PipelineApplication application{
      .program = "failing", .summary = "Copies.", .needs_finite_images = true};
  application.build = [](const io::ImageInfo& image, const deck::Deck&) { return copies(image.domain); };
  return app::run_pipeline_application(argc, argv, application);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view place = argc > 1 ? argv[1] : "";
  argv[1] = argv[0];
  if (place == "barrier") return wait_for_the_last(argc - 1, argv + 1);
  if (place.starts_with("iteration"))
    return fail_in_iteration(argc - 1, argv + 1, place == "iteration-stalls");
  if (place.starts_with("graph")) return run_slow_graph(argc - 1, argv + 1, place);
  if (place == "series-stalls") return stall_in_series(argc - 1, argv + 1);
  if (place == "finite") return copy_finite_images(argc - 1, argv + 1);
  if (place == "stalls") return generate(argc - 1, argv + 1, stalling);
  if (place == "alone") return generate(argc - 1, argv + 1, failing_alone);
  if (place == "sleeps") return generate(argc - 1, argv + 1, sleeping);
  return fail_in_pipeline(argc - 1, argv + 1, place);
}
