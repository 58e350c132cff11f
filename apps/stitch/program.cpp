// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "contradictions.hpp"
#include "deck_choice.hpp"
#include "exchange.hpp"
#include "open_tiles.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/human_bytes.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace stitch {
namespace {

using namespace tessera;
using deck::Deck;

TranslationOptions options_of(const app::GraphSetting& setting, const OpenTiles& tiles) {
  const Deck& deck = setting.deck;
  TranslationOptions options{.peaks = static_cast<int>(deck.get<std::int64_t>("peaks")),
                             .in_double = deck.text_of("precision") == "double",
                             .overlap = tiles.overlap,
                             .channel = tiles.reader.compared(),
                             .halo = choice_of<Halo>(deck, "graph.halo", halo_names),
                             .ranks = setting.session.rank_count(),
                             .workers = setting.workers,
                             .transforms = number_of(deck, "graph.transforms.count")};
  if (deck.text_of("traversal") != "auto")
    options.traversal = choice_of<Traversal>(deck, "traversal", traversal_names);
  return options;
}

std::int64_t memory_of(const Deck& deck) {
  return deck.is_set("memory") ? deck.get<deck::ByteSize>("memory").bytes : 0;
}

CompositionOptions composition_options(const app::GraphSetting& setting, const OpenTiles& tiles) {
  const Deck& deck = setting.deck;
  CompositionOptions options{.blend = choice_of<Blend>(deck, "blend", blend_names),
                             .workers = setting.workers,
                             .bands = number_of(deck, "graph.bands.count").value_or(0),
                             .memory = memory_of(deck),
                             .overlap = tiles.overlap};
  collectively(setting.session.communicator(),
               [&] { options.channels = channels_together(deck, tiles.reader); });
  return options;
}

/// The number of transforms that a rank needs, and the memory of the translations, the searches and the
/// composition.
struct Needs {
  std::int64_t most_live = 0;
  std::int64_t halo_size = 0;
  std::int64_t pool_size = 0;
  std::int64_t bytes = 0;
  std::int64_t search_bytes = 0;
  std::int64_t plate_bytes = 0;
};

class Program final : public app::GraphProgram {
 public:
  explicit Program(const app::GraphSetting& setting)
      : setting_(setting),
        tiles_(open_tiles(setting)),
        options_(options_of(setting, tiles_)),
        translations_(reader_,
                      Band::of_rank(reader_.grid(), setting.session.rank_count(), setting.session.rank()),
                      options_),
        searches_(reader_, options_.channel, setting.workers, memory_of(setting.deck)),
        composition_(setting.session.communicator(), reader_, composition_options(setting, tiles_)) {
    translations_.add_tasks(*translation_graph_);
    searches_.add_tasks(*search_graph_);
    const bool may_communicate =
        setting.session.thread_level() == "multiple" || setting.session.thread_level() == "serialized";
    composition_.add_tasks(composition_graph_,
                           may_communicate ? graph::Place::io() : graph::Place::kernels());
    outputs_.emplace(setting, reader_, expected_bytes());
    check_memory();
  }

  std::vector<graph::Graph*> graphs() override {
    return {translation_graph_.get(), search_graph_.get(), &composition_graph_};
  }
  std::vector<std::string> files() const override { return outputs_->files(); }
  std::string check() override;
  app::ExitStatus run(app::GraphRunner& runner) override;

 private:
  MPI_Comm communicator() const { return setting_.session.communicator(); }
  std::int64_t expected_bytes() const;
  Needs greatest_needs() const;
  void check_memory() const;
  std::vector<Translation> measure(app::GraphRunner& runner, const std::vector<Pair>& pairs);
  double reliable() const { return setting_.deck.get<double>("reliable"); }
  void read_placed();
  void correct(app::GraphRunner& runner);
  void place(app::GraphRunner& runner);
  void tell(app::GraphRunner& runner) const;
  void compose(app::GraphRunner& runner);

  const app::GraphSetting& setting_;
  OpenTiles tiles_;
  const TileReader& reader_ = tiles_.reader;
  TranslationOptions options_;
  Translations translations_;
  Searches searches_;
  Composition composition_;
  std::optional<Outputs> outputs_;
  Results results_;
  // The graphs refer to all of these, and end before them.
  std::unique_ptr<graph::Graph> translation_graph_ = std::make_unique<graph::Graph>("translations");
  std::unique_ptr<graph::Graph> search_graph_ = std::make_unique<graph::Graph>("searches");
  graph::Graph composition_graph_{"composition"};
};

/// Returns the bytes of the plate, as far as they follow from the expected overlap.
std::int64_t Program::expected_bytes() const {
  const auto side = [&](int tiles, int pixels) {
    return static_cast<std::int64_t>((1 + (tiles - 1) * (1 - options_.overlap)) * pixels);
  };
  return side(reader_.grid().columns(), reader_.extent().width) *
         side(reader_.grid().rows(), reader_.extent().height) * reader_.channels() *
         (reader_.type() == ElementType::uint8 ? 1 : 2);
}

/// Returns the most that any rank needs: the first one, which needs no row of another rank, may need less.
/// Collective.
Needs Program::greatest_needs() const {
  std::array<std::int64_t, 6> most{translations_.most_live(), translations_.halo_size(),
                                   translations_.pool_size(), translations_.bytes(),
                                   searches_.bytes(),         composition_.bytes()};
  MPI_Allreduce(MPI_IN_PLACE, most.data(), 6, MPI_INT64_T, MPI_MAX, communicator());
  return {most[0], most[1], most[2], most[3], most[4], most[5]};
}

/// Throws InputError if a part of the work needs more memory on a rank than the deck allows. Collective.
void Program::check_memory() const {
  const Deck& deck = setting_.deck;
  const Needs needs = greatest_needs();
  collectively(communicator(), [&] {
    if (!deck.is_set("memory")) return;
    const auto check = [&](const char* what, std::int64_t bytes, const char* less) {
      if (bytes > memory_of(deck))
        deck.fail("memory", fmt::format("{} needs up to {} on a rank: raise it, or lower {}", what,
                                        human_bytes(bytes), less));
    };
    if (!deck.is_set("input.placed")) {
      if (!deck.is_set("input.translations"))
        check("comparing tiles", needs.bytes, "threads or graph.transforms.count");
      check("a search for a translation", needs.search_bytes, "the size of the tiles");
    }
    if (outputs_->has_plate())
      check("composing the plate", needs.plate_bytes, "threads or graph.bands.count");
  });
}

std::string Program::check() {
  const Needs needs = greatest_needs();
  const auto [width, height] = reader_.extent();
  return fmt::format(
      "{} x {} tiles of {} x {} x {} {}{}, {}\n"
      "{} at a time on a rank{}, {} in the pool: {} with the memory of the workers\n"
      "searches for what does not agree with the stage: {}\n"
      "a plate of some {}, composed with up to {} on each rank\n",
      reader_.grid().rows(), reader_.grid().columns(), width, height, reader_.channels_of_slice(),
      name_of(reader_.type()), reader_.slices() > 1 ? fmt::format(" in {} slices", reader_.slices()) : "",
      counted(std::ssize(reader_.grid().pairs()), "pair"), counted(needs.most_live, "transform"),
      needs.halo_size > 0 ? fmt::format(" and {} from another one", needs.halo_size) : "", needs.pool_size,
      human_bytes(needs.bytes), human_bytes(needs.search_bytes), human_bytes(expected_bytes()),
      human_bytes(needs.plate_bytes));
}

/// Returns the translations of all pairs, which are computed unless a file has them.
std::vector<Translation> Program::measure(app::GraphRunner& runner, const std::vector<Pair>& pairs) {
  if (setting_.deck.is_set("input.translations")) {
    const std::string path = setting_.deck.text_of("input.translations");
    std::vector<Translation> read;
    collectively(communicator(), [&] {
      if (setting_.session.rank() == 0)
        read = read_translations(path, io::read_text_file(path, "a table of translations"), reader_.files(),
                                 pairs, reader_.extent());
    });
    return broadcast_list(communicator(), std::move(read));
  }
  const graph::Report report = runner.run(*translation_graph_);
  // Searches and composition then have the memory that the transforms had.
  translation_graph_.reset();
  runner.say(fmt::format("compared {} in {:.2f} s", counted(std::ssize(pairs), "pair"), report.seconds));
  return gather_lists(communicator(), translations_.results());
}

/// Searches for the translations of those pairs that do not agree with the model, and replaces them.
void Program::correct(app::GraphRunner& runner) {
  std::vector<std::size_t> outliers;
  const std::vector<bool> is_confirmed = confirmed(reader_.grid(), results_.pairs, results_.placements);
  for (std::size_t i = 0; i < results_.pairs.size(); ++i)
    if (!agrees(results_.model, results_.pairs[i], reader_.extent(), results_.placements[i], is_confirmed[i]))
      outliers.push_back(i);
  if (outliers.empty()) return;
  const auto border = [&](int rank) {
    return outliers.size() * static_cast<std::size_t>(rank) /
           static_cast<std::size_t>(setting_.session.rank_count());
  };
  const int rank = setting_.session.rank();
  std::vector<Pair> mine;
  for (std::size_t i = border(rank); i < border(rank + 1); ++i) mine.push_back(results_.pairs[outliers[i]]);
  searches_.set_work(results_.model, std::move(mine));
  runner.run(*search_graph_);
  const std::vector<Translation> searched = gather_lists(communicator(), searches_.results());
  for (std::size_t i = 0; i < outliers.size(); ++i)
    results_.placements[outliers[i]] = choose(results_.model, results_.pairs[outliers[i]], reader_.extent(),
                                              reliable(), results_.measured[outliers[i]], searched[i]);
}

/// Finds the model of the stage, replaces the translations that do not agree with it, twice if the first
/// model was a guess, and finds the positions of the tiles and which of them only the model places.
void Program::place(app::GraphRunner& runner) {
  for (const Translation& one : results_.measured) results_.placements.push_back({one, Origin::measured});
  const auto update_model = [&] {
    results_.model =
        model_of(results_.pairs, results_.placements, reader_.extent(), options_.overlap, reliable());
  };
  update_model();
  const bool is_guess = !is_founded(results_.model, results_.pairs);
  correct(runner);
  if (is_guess) {
    update_model();
    correct(runner);
  }
  results_.positions = positions_of(reader_.grid(), results_.pairs, results_.placements, results_.model,
                                    choice_of<Solver>(setting_.deck, "solver", solver_names));
  results_.by_model = tiles_placed_by_model(reader_.grid(), results_.pairs, results_.placements);
}

void Program::tell(app::GraphRunner& runner) const {
  const auto count = [&](Origin origin) {
    return std::ranges::count(results_.placements, origin, &Placement::origin);
  };
  runner.say(fmt::format("{}: {} measured, {} searched, {} by the model",
                         counted(std::ssize(results_.pairs), "pair"), count(Origin::measured),
                         count(Origin::searched), count(Origin::model)));
  constexpr std::size_t most_lines = 10;
  const std::size_t shown = std::min(results_.by_model.size(), most_lines);
  for (std::size_t i = 0; i < shown; ++i)
    runner.say(fmt::format("{}: it shows nothing that its neighbours show: it is placed by the model",
                           reader_.files().path(results_.by_model[i])));
  if (const auto more = std::ssize(results_.by_model) - static_cast<std::ptrdiff_t>(shown); more > 0)
    runner.say(fmt::format("and {} placed by the model", counted(more, "more tile")));
  if (const int parts = measured_parts(reader_.grid(), results_.pairs, results_.placements); parts > 1)
    runner.say(fmt::format(
        "warning: {} parts of the plate lie to each other as the model puts them: no pair joins them",
        parts));
  const auto step = [](const StageStep& one) {
    return fmt::format("({}, {}) +- {}", one.step.x, one.step.y, one.repeatability);
  };
  runner.say(fmt::format("steps of the stage: {} to the right, {} down", step(results_.model.right),
                         step(results_.model.below)));
  runner.add("stitching", {{"pairs", std::int64_t(std::ssize(results_.pairs))},
                           {"measured", std::int64_t(count(Origin::measured))},
                           {"searched", std::int64_t(count(Origin::searched))},
                           {"by_model", std::int64_t(count(Origin::model))},
                           {"tiles_by_model", std::int64_t(std::ssize(results_.by_model))},
                           {"most_live_transforms", greatest_needs().most_live}});
}

void Program::compose(app::GraphRunner& runner) {
  search_graph_.reset();  // The plate then has the memory that the searches had.
  const Box domain = composition_.domain(results_.positions);
  std::vector<PlateSink> sinks = outputs_->create_plate(domain);
  composition_.set_work(results_.positions, sinks);
  const graph::Report report = runner.run_alone(composition_graph_);
  std::int64_t reads = composition_.reads();
  MPI_Allreduce(MPI_IN_PLACE, &reads, 1, MPI_INT64_T, MPI_SUM, communicator());
  runner.add("composition", {{"reads_of_tiles", reads}});
  runner.say(fmt::format("wrote a plate of {} x {} in {:.2f} s", domain[0].size(), domain[1].size(),
                         report.seconds));
}

/// Reads the positions that an earlier run has found.
void Program::read_placed() {
  const std::string path = setting_.deck.text_of("input.placed");
  collectively(communicator(), [&] {
    if (setting_.session.rank() == 0)
      results_.positions = read_positions(path, io::read_text_file(path, "a table of positions"),
                                          reader_.files(), setting_.deck.text_of("missing") == "skip");
  });
  results_.positions = broadcast_list(communicator(), std::move(results_.positions));
}

app::ExitStatus Program::run(app::GraphRunner& runner) {
  if (setting_.deck.is_set("input.placed")) {
    read_placed();
    compose(runner);
    return app::ExitStatus::done;
  }
  results_.pairs = reader_.grid().pairs();
  results_.measured = measure(runner, results_.pairs);
  outputs_->write_translations(translations_csv(reader_.files(), results_.pairs, results_.measured));
  place(runner);
  tell(runner);
  outputs_->write_tables(reader_.files(), results_);
  if (outputs_->has_plate()) compose(runner);
  return app::ExitStatus::done;
}

}  // namespace

std::unique_ptr<app::GraphProgram> make_program(const app::GraphSetting& setting) {
  return std::make_unique<Program>(setting);
}

}  // namespace stitch
