// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "composition.hpp"
#include "keys.hpp"
#include "outputs.hpp"
#include "tables.hpp"
#include "tessera/app/job_application.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace stitch {
namespace {

using namespace tessera;
using deck::Deck;

TranslationOptions translation_options(const app::JobSetting& setting) {
  const Deck& deck = setting.deck;
  const bool is_auto = deck.text_of("traversal") == "auto";
  return {.peaks = static_cast<int>(deck.get<std::int64_t>("peaks")),
          .in_double = deck.text_of("precision") == "double",
          .halo = choice_of<Halo>(deck, "graph.halo", halo_names),
          .ranks = setting.session.rank_count(),
          .traversal = is_auto ? std::nullopt
                               : std::optional(choice_of<Traversal>(deck, "traversal", traversal_names)),
          .workers = setting.threads,
          .transforms = number_of(deck, "graph.transforms.count")};
}

/// Adds the translations that the ledger of an earlier run has, and a function that notes new ones there.
/// Collective.
TranslationOptions with_ledger(TranslationOptions options, MPI_Comm communicator, const TileReader& reader,
                               const app::Ledger& ledger) {
  options.known = noted_translations(communicator, ledger, reader.files());
  options.found = [&](const FoundTranslation& one) { note(ledger, reader.files(), one); };
  return options;
}

/// Returns the bytes that a rank may use, or 0 if the deck does not limit them.
std::int64_t memory_of(const Deck& deck) {
  return deck.is_set("memory") ? deck.get<deck::ByteSize>("memory").bytes : 0;
}

/// Returns the bytes of the plate, as far as they follow from the expected overlap.
std::int64_t expected_bytes(const TileReader& reader) {
  return reader.expected_plate().size() * reader.channels() *
         static_cast<std::int64_t>(size_of(reader.type()));
}

/// The numbers of transforms that a rank needs, and the bytes of translations, searches and composition.
struct Needs {
  std::int64_t most_live = 0, halo_size = 0, pool_size = 0;
  std::int64_t bytes = 0, search_bytes = 0, plate_bytes = 0;
};

class Program final : public app::GraphProgram {
 public:
  explicit Program(const app::JobSetting& setting)
      : setting_(setting),
        reader_(open_tiles(setting)),
        outputs_(setting, reader_, expected_bytes(reader_)),
        translations_(reader_,
                      Band::of_rank(reader_.grid(), setting.session.rank_count(), setting.session.rank()),
                      with_ledger(translation_options(setting), communicator(), reader_, outputs_.ledger())),
        searches_(reader_, setting.threads, memory_of(setting.deck)),
        composition_(communicator(), reader_,
                     {.blend = choice_of<Blend>(setting.deck, "blend", blend_names),
                      .channels = outputs_.channels_together(),
                      .workers = setting.threads,
                      .bands = number_of(setting.deck, "graph.bands.count").value_or(0),
                      .memory = memory_of(setting.deck)}) {
    translations_.add_tasks(*translation_graph_);
    searches_.add_tasks(*search_graph_);
    const bool may_communicate =
        setting.session.thread_level() == "multiple" || setting.session.thread_level() == "serialized";
    composition_.add_tasks(composition_graph_,
                           may_communicate ? graph::Place::io() : graph::Place::kernels());
    check_memory();
  }

  std::vector<graph::Graph*> graphs() override {
    return {translation_graph_.get(), search_graph_.get(), &composition_graph_};
  }
  std::vector<std::string> files() const override { return outputs_.files(); }
  std::string check() override {
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
        needs.halo_size > 0 ? fmt::format(" and {} from another rank", needs.halo_size) : "", needs.pool_size,
        human_bytes(needs.bytes), human_bytes(needs.search_bytes), human_bytes(expected_bytes(reader_)),
        human_bytes(needs.plate_bytes));
  }
  cost::Work work(int ranks) const override {
    cost::Work work{.notes = {"files count with the bytes of their pixels, also compressed ones"}};
    const bool is_placed = setting_.deck.is_set("input.placed");
    if (!is_placed && !setting_.deck.is_set("input.translations")) {
      TranslationOptions options = translation_options(setting_);
      options.ranks = ranks;
      work.parts.push_back(work_of_translations(reader_, options));
      work.notes.emplace_back("comparing tiles at peaks counts nothing, as their number is not known");
    }
    if (!is_placed) work.notes.emplace_back("searches count nothing, as their number is not known");
    if (outputs_.has_plate())
      work.parts.push_back(work_of_composition(reader_, expected_bytes(reader_), ranks));
    return work;
  }

  app::ExitStatus run(app::JobRunner& runner) override {
    const bool is_first = setting_.session.rank() == 0;
    if (is_first) outputs_.ledger().begin(outputs_.written_paths());
    say_used_again(runner, outputs_.whole_plates(), "plate");
    if (setting_.deck.is_set("input.placed"))
      results_.positions =
          read_table<Position>("input.placed", "a table of positions", [&](const auto&... file) {
            return read_positions(file..., reader_.files(), skips_missing(setting_.deck));
          });
    else
      find_positions(runner);
    if (outputs_.has_plate()) compose(runner);
    if (is_first) outputs_.ledger().finish(outputs_.written_paths());
    return app::ExitStatus::done;
  }

 private:
  MPI_Comm communicator() const { return setting_.session.communicator(); }
  double reliable() const { return setting_.deck.get<double>("reliable"); }
  /// Returns the model of the stage by the present placements.
  StageModel model() const {
    return model_of(results_.placements, reader_.extent(), reader_.files().overlap, reliable());
  }

  /// Says how many results of an earlier run, which was killed, are used again, if there are any.
  void say_used_again(app::JobRunner& runner, std::int64_t count, const std::string& what) const {
    if (count > 0) runner.say(outputs_.ledger().remark(count, what));
  }

  /// Finds out where tiles lie, and writes all tables.
  void find_positions(app::JobRunner& runner) {
    const Pairs pairs = reader_.grid().pairs();
    results_.measured = measure(runner, pairs);
    outputs_.write_table("output.translations", translations_csv(reader_.files(), pairs, results_.measured));
    for (std::size_t i = 0; i < pairs.size(); ++i)
      results_.placements.push_back({results_.measured[i], Origin::measured, pairs[i]});
    place(runner);
    tell(runner);
    outputs_.write_tables(results_);
  }

  /// Returns the most that any rank needs. Collective.
  Needs greatest_needs() const {
    Needs most{translations_.most_live(), translations_.halo_size(), translations_.pool_size(),
               translations_.bytes(),     searches_.bytes(),         composition_.bytes()};
    MPI_Allreduce(MPI_IN_PLACE, &most, sizeof most / sizeof(std::int64_t), MPI_INT64_T, MPI_MAX,
                  communicator());
    return most;
  }

  /// Throws InputError if a part of the work needs more memory on a rank than the deck allows. Collective.
  void check_memory() const {
    const Deck& deck = setting_.deck;
    const Needs needs = greatest_needs();
    collectively(communicator(), [&] {
      if (!deck.is_set("memory")) return;
      const auto check = [&](const char* what, std::int64_t bytes, const char* remedy) {
        if (bytes > memory_of(deck))
          deck.fail("memory", fmt::format("{} needs up to {} on a rank: raise it, or lower {}", what,
                                          human_bytes(bytes), remedy));
      };
      if (!deck.is_set("input.placed")) {
        if (!deck.is_set("input.translations"))
          check("comparing tiles", needs.bytes, "threads or graph.transforms.count");
        check("a search for a translation", needs.search_bytes, "the size of the tiles");
      }
      if (outputs_.has_plate())
        check("composing the plate", needs.plate_bytes, "threads or graph.bands.count");
    });
  }

  /// Reads the table that a key names, and calls parse(path, text), both on rank 0 only. Returns the result
  /// on all ranks. `kind` names the table in messages. Collective.
  template <class T, class Parse>
  std::vector<T> read_table(const char* key, const char* kind, const Parse& parse) const {
    const std::string path = setting_.deck.text_of(key);
    std::vector<T> read;
    collectively(communicator(), [&] {
      if (setting_.session.rank() == 0) read = parse(path, io::read_text_file(path, kind));
    });
    return graph::broadcast(communicator(), read);
  }

  /// Returns the translations of all pairs, which are computed unless a file or the ledger has them.
  std::vector<Translation> measure(app::JobRunner& runner, const Pairs& pairs) {
    if (setting_.deck.is_set("input.translations"))
      return read_table<Translation>(
          "input.translations", "a table of translations", [&](const auto&... file) {
            return read_translations(file..., reader_.files(), pairs, reader_.extent());
          });
    const std::vector<FoundTranslation>& known = translations_.known();
    say_used_again(runner, std::ssize(known), "translation");
    const graph::Report report = runner.run(*translation_graph_);
    // This gives the memory of the transforms to the searches and the composition.
    translation_graph_.reset();
    runner.say(fmt::format("compared {} in {:.2f} s", counted(std::ssize(pairs) - std::ssize(known), "pair"),
                           report.seconds));
    const std::vector<Translation> computed = graph::gathered(communicator(), translations_.results());
    // Known and computed translations are both in the order of the pairs.
    std::vector<Translation> all;
    auto next_known = known.begin();
    auto next_computed = computed.begin();
    for (const Pair& pair : pairs) {
      const bool is_known = next_known != known.end() && next_known->pair == pair;
      all.push_back(is_known ? (next_known++)->translation : *next_computed++);
    }
    return all;
  }

  /// Searches for the translations of all pairs whose placements do not agree with the model, and replaces
  /// these placements.
  void correct(app::JobRunner& runner) {
    Placements& placements = results_.placements;
    std::vector<std::size_t> outliers;
    const std::vector<bool> is_confirmed = confirmed(reader_.grid(), placements);
    for (std::size_t i = 0; i < placements.size(); ++i)
      if (!agrees(results_.model, reader_.extent(), placements[i], is_confirmed[i])) outliers.push_back(i);
    if (outliers.empty()) return;
    const auto count = std::ssize(outliers), ranks = std::ptrdiff_t(setting_.session.rank_count()),
               rank = std::ptrdiff_t(setting_.session.rank());
    // Each rank searches its share of the outliers.
    Pairs mine;
    for (auto i = count * rank / ranks; i < count * (rank + 1) / ranks; ++i)
      mine.push_back(placements[outliers[static_cast<std::size_t>(i)]].pair);
    searches_.set_work(results_.model, std::move(mine));
    runner.run(*search_graph_);
    const std::vector<Translation> found = graph::gathered(communicator(), searches_.results());
    auto searched = found.begin();
    for (const std::size_t i : outliers)
      placements[i] = choose(results_.model, placements[i].pair, reader_.extent(), reliable(),
                             results_.measured[i], *searched++);
  }

  /// Corrects the placements by the model of the stage, and again by a new model if the first one was a
  /// guess. Then finds the positions of the tiles.
  void place(app::JobRunner& runner) {
    // Returns whether the model was a guess.
    const auto correct_by_model = [&] {
      results_.model = model();
      const bool is_guess = !is_founded(results_.model, results_.placements);
      correct(runner);
      return is_guess;
    };
    if (correct_by_model()) correct_by_model();
    results_.positions = positions_of(reader_.grid(), results_.placements, results_.model,
                                      choice_of<Solver>(setting_.deck, "solver", solver_names));
    results_.by_model = tiles_placed_by_model(reader_.grid(), results_.placements);
  }

  /// Says and reports how pairs and tiles were placed. Collective.
  void tell(app::JobRunner& runner) const {
    const auto count = [&](Origin origin) {
      return std::ranges::count(results_.placements, origin, &Placement::origin);
    };
    runner.say(fmt::format("{}: {} measured, {} searched, {} by the model",
                           counted(std::ssize(results_.placements), "pair"), count(Origin::measured),
                           count(Origin::searched), count(Origin::model)));
    const std::size_t shown = std::min<std::size_t>(results_.by_model.size(), 10);
    for (const int tile : std::span(results_.by_model).first(shown))
      runner.say(fmt::format("{}: it shows nothing that its neighbours show: it is placed by the model",
                             reader_.files().path(tile)));
    if (const auto more = std::ssize(results_.by_model) - static_cast<std::ptrdiff_t>(shown); more > 0)
      runner.say(fmt::format("and {} placed by the model", counted(more, "more tile")));
    if (const int parts = measured_parts(reader_.grid(), results_.placements); parts > 1)
      runner.say(fmt::format("warning: no pair joins {} parts of the plate: the model places them", parts));
    if (!is_founded(model(), results_.placements))
      runner.say("warning: few pairs agree on the step of the stage: check input.overlap and the plate");
    const auto step = [](const StageStep& one) {
      return fmt::format("({}, {}) +- {}", one.step.x, one.step.y, one.repeatability);
    };
    runner.say(fmt::format("steps of the stage: {} to the right, {} down", step(results_.model.right),
                           step(results_.model.below)));
    runner.add("stitching", {{"pairs", std::int64_t(std::ssize(results_.placements))},
                             {"measured", std::int64_t(count(Origin::measured))},
                             {"searched", std::int64_t(count(Origin::searched))},
                             {"by_model", std::int64_t(count(Origin::model))},
                             {"tiles_by_model", std::int64_t(std::ssize(results_.by_model))},
                             {"most_live_transforms", greatest_needs().most_live}});
  }

  /// Composes and writes the plate.
  void compose(app::JobRunner& runner) {
    search_graph_.reset();  // The plate then has the memory that the searches had.
    const Box domain = composition_.domain(results_.positions);
    outputs_.begin_plate(domain[0], domain[1]);
    composition_.set_work(
        results_.positions, outputs_.parts(),
        [this](const HostBlock& rows, Range band, int first) { outputs_.write_plate(rows, band, first); });
    const graph::Report report = runner.run_alone(composition_graph_);
    std::int64_t reads = composition_.reads();
    MPI_Allreduce(MPI_IN_PLACE, &reads, 1, MPI_INT64_T, MPI_SUM, communicator());
    runner.add("composition", {{"reads_of_tiles", reads}});
    runner.say(fmt::format("wrote a plate of {} x {} in {:.2f} s", domain[0].size(), domain[1].size(),
                           report.seconds));
  }

  const app::JobSetting& setting_;
  const TileReader reader_;
  Outputs outputs_;
  Translations translations_;
  Searches searches_;
  Composition composition_;
  Results results_;
  // The graphs refer to all members above, and are destroyed before them.
  std::unique_ptr<graph::Graph> translation_graph_ = std::make_unique<graph::Graph>("translations");
  std::unique_ptr<graph::Graph> search_graph_ = std::make_unique<graph::Graph>("searches");
  graph::Graph composition_graph_{"composition"};
};

}  // namespace
}  // namespace stitch

int main(int argc, char** argv) {
  return tessera::app::run_graph_application(
      argc, argv,
      {.program = "tessera-stitch",
       .summary = "Stitches the overlapping tiles of a microscope to one image.",
       .keys = stitch::keys(),
       .graphs = {{{"read", "transform", "align"}, {"transforms"}},
                  {{"search"}, {}},
                  {{"compose"}, {"bands"}}},
       .make = [](const auto& setting) { return std::make_unique<stitch::Program>(setting); }});
}
