// SPDX-License-Identifier: BSD-3-Clause
#include "graph_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>

#include "flow_graph.hpp"
#include "program.hpp"
#include "tessera/app/file_names.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/app/finite_images.hpp"
#include "tessera/app/room.hpp"
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
    plans_ = std::make_shared<const PairPlans>(infos_.front().domain, infos_.front().type, settings_);
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
                       counted(pairs(), "pair"), to_string(infos_.front().domain), plans_->levels().size(),
                       window_);
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
    return app::expanded(setting_.deck, "output.files", frames_[static_cast<std::size_t>(pair)], pair,
                         pairs());
  }

  void check_outputs() const;
  void inspect();
  void read(std::int64_t frame, const graph::Image& to) const;
  void write(Pair& pair);
  void add_tasks();

  const app::GraphSetting& setting_;
  std::vector<std::string> frames_;
  std::int64_t window_;
  /// The descriptions of the frames. They differ in their files alone.
  std::vector<io::ImageInfo> infos_;
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
  if (pairs() > 1 && output(0) == pattern)
    deck.fail("output.files",
              fmt::format("{} is one file for {} flows: use {{name}} or {{index}}", pattern, pairs()));
  if (!pattern.ends_with(".flo") && !pattern.ends_with(".h5"))
    deck.fail("output.files", fmt::format("{} ends neither in .flo nor in .h5: choose one of them", pattern));
  app::check_folders(deck, {{.key = "output.files"}});
  std::set<std::filesystem::path> read, written;
  for (const std::string& frame : frames_) read.insert(app::place_of(frame));
  for (std::int64_t pair = 0; pair < pairs(); ++pair) {
    const std::string path = output(pair);
    const std::filesystem::path place = app::place_of(path);
    if (read.contains(place))
      deck.fail("output.files", fmt::format("{} is also a frame: choose another name", path));
    if (!written.insert(place).second)
      deck.fail("output.files", fmt::format("two flows would become {}: use {{index}}", path));
  }
}

/// Looks at all frames, which must be alike.
void GraphProgram::inspect() {
  const deck::Deck& deck = setting_.deck;
  io::ImageChoice choice{.dataset = deck.text_of("input.dataset")};
  if (deck.is_set("input.page")) choice.page = static_cast<int>(deck.get<std::int64_t>("input.page"));
  for (const std::string& frame : frames_) {
    infos_.push_back(io::inspect_image(frame, choice));
    const io::ImageInfo &first = infos_.front(), &info = infos_.back();
    if (!(info.domain == first.domain) || info.type != first.type)
      deck.fail("input.files",
                fmt::format("{} is {} of {}, but {} is {} of {}: give frames of one size and type", frame,
                            to_string(info.domain), name_of(info.type), frames_.front(),
                            to_string(first.domain), name_of(first.type)));
  }
  check_frame(infos_.front(), deck, "input.files");
  settings_ = settings_of(deck, infos_.front().domain);
}

void GraphProgram::read(std::int64_t frame, const graph::Image& to) const {
  const auto place = static_cast<std::size_t>(frame);
  io::open_image(MPI_COMM_SELF, frames_[place], infos_[place])->read(to.points());
  app::check_finite(setting_.deck, "input.files", frames_[place], to.points());
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
  // The libraries of these formats are not made for several threads.
  const auto is_read_by_one = [](const io::ImageInfo& info) {
    return info.format == io::ImageFormat::hdf5 || info.format == io::ImageFormat::fits;
  };
  const graph::Pool<Pair> memory(graph_, "pairs", {.count = static_cast<int>(window_)},
                                 [] { return std::make_shared<Pair>(); });
  const auto numbers = graph_.source("pairs", {.rank = graph::Task::every_rank}, [this](std::int64_t number) {
    const std::int64_t pair = setting_.session.rank() + number * setting_.session.rank_count();
    return pair < pairs() ? std::optional(pair) : std::nullopt;
  });
  const auto read = graph_.task(
      "read", {.on = std::ranges::any_of(infos_, is_read_by_one) ? Place::io() : Place::threads()},
      [this](std::int64_t number, PairLease pair) {
        pair->begin(number, plans_);
        this->read(number, pair->first);
        this->read(number + 1, pair->second);
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
       .help = "The flows, such as flow/{index}.flo: {index} stands for the number of the pair from 0 on, "
               "{name} for the name of its first frame; .flo or .h5",
       .required = true},
      {.name = "input.dataset",
       .type = deck::ValueType::text,
       .group = "Files",
       .help = "The data set of HDF5 files, the extension of FITS files (its name or number); without it, "
               "the only one, the first image"},
      {.name = "input.page",
       .type = deck::ValueType::integer,
       .group = "Files",
       .help = "The page of TIFF files, from 0 on; without it, the first",
       .minimum = 0,
       .maximum = std::numeric_limits<int>::max()},
      run_key()};
  for (const std::vector<deck::KeyDeclaration>& more : {level_keys(), method_keys()})
    keys.insert(keys.end(), more.begin(), more.end());
  return {.program = "tessera-flow",
          .summary =
              "The optical flows of the pairs of a series of frames, by the method of Horn and Schunck in a "
              "pyramid, as a graph of loops.",
          .keys = std::move(keys),
          .graphs = {{.tasks = {"read", "pyramids", "enlarge", "linearise", "turn", "compare", "result"},
                      .pools = {}}},
          .default_window = "two for each thread",
          .make = [](const app::GraphSetting& setting) { return std::make_unique<GraphProgram>(setting); }};
}

}  // namespace flow
