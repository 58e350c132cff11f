// SPDX-License-Identifier: BSD-3-Clause
#include "graph_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "flow_graph.hpp"
#include "program.hpp"
#include "tessera/app/file_names.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/collectively.hpp"

namespace flow {
namespace {

using namespace tessera;
using graph::Place;

constexpr const char* index_mark = "{index}";

/// Throws InputError if a frame has a value that is no number, with which the flow would have none.
void check_numbers(const std::string& path, const HostBlock& frame) {
  if (frame.type != ElementType::float32) return;
  const Box& box = frame.box;
  const std::int64_t channels = box.dimensions == 3 ? box[2].size() : 1;
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t y = 0; y < box[1].size(); ++y)
      for (std::int64_t x = 0; x < box[0].size(); ++x)
        if (!std::isfinite(reinterpret_cast<const float*>(
                frame.data)[x + y * frame.strides[1] + (box.dimensions == 3 ? c * frame.strides[2] : 0)]))
          throw InputError(fmt::format(
              "{}: the pixel ({}, {}) is not a finite number: give images without such", path, x, y));
}

/// The program: reads the frames of a series, and writes the flow of each pair of frames that follow each
/// other.
class GraphProgram final : public app::GraphProgram {
 public:
  explicit GraphProgram(const app::GraphSetting& setting)
      : setting_(setting),
        frames_(app::matching_files(setting.session.communicator(), setting.deck, "input.files")),
        window_(setting.deck.is_set("graph.window") ? setting.deck.get<std::int64_t>("graph.window")
                                                    : 2 * setting.workers) {
    collectively(setting.session.communicator(), [&] {
      check_outputs();
      inspect();
    });
    plans_ = std::make_shared<const PairPlans>(info_.domain, info_.type, settings_);
    add_tasks();
  }

  std::vector<graph::Graph*> graphs() override { return {&graph_}; }
  std::vector<std::string> files() const override {
    std::vector<std::string> files = frames_;
    for (std::int64_t pair = 0; pair < pairs(); ++pair) files.push_back(output(pair));
    return files;
  }
  std::string check() override {
    return fmt::format("{} of {} in {} levels, up to {} at the same time on each rank\n",
                       counted(pairs(), "pair"), to_string(info_.domain), plans_->levels().size(), window_);
  }
  app::ExitStatus run(app::GraphRunner& runner) override {
    const graph::Report report = runner.run(graph_);
    MPI_Allreduce(MPI_IN_PLACE, counts_.data(), 2, MPI_INT64_T, MPI_SUM, setting_.session.communicator());
    runner.add("flow", {{"pairs", pairs()}, {"warps", counts_[0]}, {"turns", counts_[1]}});
    runner.say(fmt::format("{}: {}, {} of the solver in {:.2f} s", counted(pairs(), "pair"),
                           counted(counts_[0], "warp"), counted(counts_[1], "turn"), report.seconds));
    return app::ExitStatus::done;
  }

 private:
  std::int64_t pairs() const { return std::ssize(frames_) - 1; }
  std::string output(std::int64_t pair) const {
    std::string path = setting_.deck.text_of("output.files");
    if (const auto place = path.find(index_mark); place != std::string::npos)
      path.replace(place, std::string(index_mark).size(), std::to_string(pair));
    return path;
  }

  void check_outputs() const;
  void inspect();
  void read(const std::string& path, const graph::Image& to) const;
  void write(Pair& pair);
  void add_tasks();

  const app::GraphSetting& setting_;
  std::vector<std::string> frames_;
  std::int64_t window_;
  io::ImageInfo info_;
  Settings settings_;
  std::shared_ptr<const PairPlans> plans_;
  /// The numbers of warps, and of turns of the solver, on this rank.
  std::array<std::int64_t, 2> counts_{};
  graph::Graph graph_{"flow"};
};

void GraphProgram::check_outputs() const {
  const deck::Deck& deck = setting_.deck;
  if (frames_.size() < 2) deck.fail("input.files", "a flow needs two frames: name at least two");
  const std::string pattern = deck.text_of("output.files");
  if (pairs() > 1 && pattern.find(index_mark) == std::string::npos)
    deck.fail("output.files",
              fmt::format("{} is one file for {} flows: use {}", pattern, pairs(), index_mark));
  if (!pattern.ends_with(".flo") && !pattern.ends_with(".h5"))
    deck.fail("output.files", fmt::format("{} ends neither in .flo nor in .h5: choose one of them", pattern));
  std::set<std::filesystem::path> read;
  for (const std::string& frame : frames_) read.insert(app::place_of(frame));
  for (std::int64_t pair = 0; pair < pairs(); ++pair)
    if (read.contains(app::place_of(output(pair))))
      deck.fail("output.files", fmt::format("{} is also a frame: choose another name", output(pair)));
}

/// Looks at all frames, which must be alike.
void GraphProgram::inspect() {
  const deck::Deck& deck = setting_.deck;
  info_ = io::inspect_image(frames_.front());
  check_frame(info_, deck, "input.files");
  for (const std::string& frame : frames_) {
    const io::ImageInfo info = io::inspect_image(frame);
    if (!(info.domain == info_.domain) || info.type != info_.type)
      deck.fail("input.files",
                fmt::format("{} is {} of {}, but {} is {} of {}: give frames of one size and type", frame,
                            to_string(info.domain), name_of(info.type), frames_.front(),
                            to_string(info_.domain), name_of(info_.type)));
  }
  settings_ = settings_of(deck, info_.domain);
}

void GraphProgram::read(const std::string& path, const graph::Image& to) const {
  io::open_image(MPI_COMM_SELF, path, info_)->read(to.points());
  check_numbers(path, to.points());
}

void GraphProgram::write(Pair& pair) {
  for (const auto& level : pair.turns)
    for (const int turns : level) {
      ++counts_[0];
      counts_[1] += turns;
    }
  const HostBlock flow = pair.result.points();
  const std::string path = output(pair.index);
  const std::unique_ptr<BlockSink> sink =
      path.ends_with(".flo") ? io::create_flo(MPI_COMM_SELF, path, flow.box, flow.type)
                             : io::create_hdf5(MPI_COMM_SELF, path, "flow", flow.box, flow.type, {});
  sink->write(flow);
}

void GraphProgram::add_tasks() {
  const auto is_hdf5 = [](const std::string& path) {
    return io::image_format(path) == io::ImageFormat::hdf5;
  };
  const graph::Pool<Pair> memory(graph_, "pairs", {.count = static_cast<int>(window_)},
                                 [] { return std::make_shared<Pair>(); });
  const auto numbers = graph_.source("pairs", {.rank = graph::Task::every_rank}, [this](std::int64_t number) {
    const std::int64_t pair = setting_.session.rank() + number * setting_.session.rank_count();
    return pair < pairs() ? std::optional(pair) : std::nullopt;
  });
  const auto read = graph_.task(
      "read", {.on = std::ranges::any_of(frames_, is_hdf5) ? Place::io() : Place::threads()},
      [this](std::int64_t number, PairLease pair) {
        pair->begin(number, plans_);
        this->read(frames_[static_cast<std::size_t>(number)], pair->first);
        this->read(frames_[static_cast<std::size_t>(number) + 1], pair->second);
        return pair;
      },
      numbers, memory);
  graph_.sink(
      "write", {.on = Place::io()}, [this](const PairLease& pair) { write(*pair); },
      add_flow(graph_, settings_, std::ssize(plans_->levels()), read));
  graph_.configure({.window = window_});
}

}  // namespace

deck::KeyDeclaration run_key() {
  return {.name = "run",
          .type = deck::ValueType::choice,
          .group = "Flow",
          .help =
              "How the flow is computed: by one pipeline on all ranks, or, of a series, by a graph in which "
              "several pairs are in different turns at the same time; --help run=graph prints its keys",
          .default_text = "pipeline",
          .choices = {"pipeline", "graph"}};
}

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
  std::vector<deck::KeyDeclaration> keys{
      {.name = "input.files",
       .type = deck::ValueType::paths,
       .group = "Files",
       .help = "The frames of the series, in their order: files, or patterns such as "
               "frames/*.png",
       .required = true},
      {.name = "output.files",
       .type = deck::ValueType::path,
       .group = "Files",
       .help = "The flows, such as flow/{index}.flo: {index} stands for "
               "the number of the pair from 0 on; .flo or .h5",
       .required = true},
      run_key()};
  for (const std::vector<deck::KeyDeclaration>& more : {level_keys(), method_keys()})
    keys.insert(keys.end(), more.begin(), more.end());
  return {.program = "tessera-flow",
          .summary =
              "The optical flows of the pairs of a series of frames, by the method of Horn and Schunck in a "
              "pyramid, as a graph of loops.",
          .keys = std::move(keys),
          .graphs = {{.tasks = {"read", "pyramids", "enlarge", "linearise", "turn", "compare", "result"}}},
          .default_window = "two for each thread",
          .make = [](const app::GraphSetting& setting) { return std::make_unique<GraphProgram>(setting); }};
}

}  // namespace flow
