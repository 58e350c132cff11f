// SPDX-License-Identifier: BSD-3-Clause
#include "graph_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "flow_graph.hpp"
#include "frame_series.hpp"
#include "pair_outputs.hpp"
#include "program.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/view/collectively.hpp"
#include "true_flows.hpp"

namespace flow {
namespace {

using namespace tessera;
using graph::Place;

/// The program: reads the frames of a series, and writes the flow of each pair of frames that follow each
/// other.
class GraphProgram final : public app::GraphProgram {
 public:
  explicit GraphProgram(const app::GraphSetting& setting)
      : setting_(setting),
        window_(setting.deck.is_set("graph.window") ? setting.deck.get<std::int64_t>("graph.window")
                                                    : 2 * setting.workers),
        frames_(frame_series(setting)),
        truths_(setting, frames_->info().domain) {
    const io::ImageInfo& frame = frames_->info();
    const MPI_Comm communicator = setting.session.communicator();
    // A video may take hours to count, so that all that needs no count is checked before.
    collectively(communicator, [&] {
      settings_ = settings_of(setting.deck, frame.domain);
      outputs_ = std::make_unique<PairOutputs>(setting, *frames_);
    });
    frames_->find_count();
    collectively(communicator, [&] {
      truths_.check_count(frames_->pairs());
      outputs_->check_names(truths_.files());
    });
    Extras extras = outputs_->extras();
    extras.has_truth = !truths_.files().empty();
    plans_ = std::make_shared<const PairPlans>(frame.domain, frame.type, settings_, extras,
                                               cache_to_write_past(1));
    add_tasks();
  }

  std::vector<graph::Graph*> graphs() override { return {&graph_}; }
  std::vector<std::string> files() const override {
    std::vector<std::string> files = outputs_->files();
    for (const auto* const read : {&frames_->files(), &truths_.files()})
      files.insert(files.end(), read->begin(), read->end());
    return files;
  }
  std::string check() override {
    return fmt::format("{} of {} in {} levels, up to {} at the same time on each rank\n",
                       counted(frames_->pairs(), "pair"), to_string(frames_->info().domain),
                       plans_->levels().size(), window_);
  }
  app::ExitStatus run(app::GraphRunner& runner) override;

 private:
  void add_tasks();
  void note(const Pair& pair);

  const app::GraphSetting& setting_;
  std::int64_t window_;
  std::unique_ptr<FrameSeries> frames_;
  TrueFlows truths_;
  std::unique_ptr<PairOutputs> outputs_;
  Settings settings_;
  std::shared_ptr<const PairPlans> plans_;
  /// The numbers of warps, and of turns of the solver, on this rank.
  std::array<std::int64_t, 2> counts_{};
  /// The largest displacement in a picture of this rank.
  float largest_ = 0;
  graph::Graph graph_{"flow"};
};

/// Returns a number of four digits that is above a positive one.
std::string rounded_up(float number) {
  // By a share that the roundings of colours do not reach, so that no pixel is beyond the result.
  const double least = number * (1 + 1e-6);
  const double unit = std::pow(10, std::floor(std::log10(least)) - 3);
  return fmt::format("{:.4g}", std::ceil(least / unit) * unit);
}

app::ExitStatus GraphProgram::run(app::GraphRunner& runner) {
  const MPI_Comm communicator = setting_.session.communicator();
  outputs_->begin();
  // Rank 0 has the numbers of all pairs, and those of each rank may be under way.
  graph_.configure({.window = frames_->window_of_all(window_, setting_.workers)});
  const graph::Report report = runner.run(graph_);
  outputs_->end();
  MPI_Allreduce(MPI_IN_PLACE, counts_.data(), 2, MPI_INT64_T, MPI_SUM, communicator);
  MPI_Allreduce(MPI_IN_PLACE, &largest_, 1, MPI_FLOAT, MPI_MAX, communicator);
  runner.add("flow", {{"pairs", frames_->pairs()}, {"warps", counts_[0]}, {"turns", counts_[1]}});
  truths_.report(runner, communicator);
  if (largest_ > 0 && frames_->pairs() > 1)
    runner.say(
        fmt::format("the colours of each picture have a scale of their own, up to {0} pixels: "
                    "picture.scale={0} would give all of them the same",
                    rounded_up(largest_)));
  runner.say(fmt::format("{}: {}, {} of the solver in {:.2f} s", counted(frames_->pairs(), "pair"),
                         counted(counts_[0], "warp"), counted(counts_[1], "turn"), report.seconds));
  return app::ExitStatus::done;
}

/// Notes what is told about a pair at the end.
void GraphProgram::note(const Pair& pair) {
  for (const auto& level : pair.turns)
    for (const int turns : level) {
      ++counts_[0];
      counts_[1] += turns;
    }
  largest_ = std::max(largest_, pair.largest);
  truths_.keep(pair);
}

void GraphProgram::add_tasks() {
  // The libraries of some formats are not made for several threads.
  const bool is_read_by_one = frames_->is_read_by_one() || truths_.is_read_by_one();
  const graph::Pool<Pair> memory(graph_, "pairs",
                                 {.count = static_cast<int>(window_), .bytes = Pair::bytes_for(plans_)},
                                 [] { return std::make_shared<Pair>(); });
  const auto read = frames_->add_tasks(graph_, {.on = is_read_by_one ? Place::io() : Place::threads()},
                                       memory, [this](std::int64_t number, Pair& pair) {
                                         pair.begin(number, plans_);
                                         truths_.read(pair);
                                       });
  outputs_->add_tasks(graph_, add_flow(graph_, settings_, std::ssize(plans_->levels()), read),
                      [this](const Pair& pair) { note(pair); });
  graph_.configure({.window = window_});
}

}  // namespace

bool asks_for_graph(const std::vector<std::string>& words) {
  deck::Schema schema;
  schema.add(run_key());
  std::vector<deck::Source> decks;
  std::vector<std::string> overrides;
  try {
    for (const std::string& word : words) {
      if (word.starts_with("-")) continue;
      if (word.find('=') != std::string::npos) {
        overrides.push_back(word);
      } else if (word.ends_with(".yaml") || word.ends_with(".yml")) {
        for (deck::Source& source : deck::read_sources(word)) decks.push_back(std::move(source));
      }
    }
    return deck::load_declared(schema, decks, overrides).get<std::string>("run") == "graph";
  } catch (const InputError&) {
    return false;
  }
}

app::GraphApplication graph_program() {
  return {.program = "tessera-flow",
          .summary =
              "The optical flows of the pairs of a series of frames, by the method of Horn and Schunck in a "
              "pyramid, as a graph of loops.",
          .keys = graph_keys(),
          .graphs = {{.tasks = {"read", "pyramids", "enlarge", "linearise", "turn", "compare", "result"},
                      .pools = {}}},
          .default_window = "two for each thread",
          .make = [](const app::GraphSetting& setting) { return std::make_unique<GraphProgram>(setting); }};
}

}  // namespace flow
