// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/pipeline_application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>

#include "tessera/app/options.hpp"
#include "tessera/app/progress.hpp"
#include "tessera/app/session.hpp"
#include "tessera/app/step_times.hpp"
#include "tessera/app/version.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/deck/print.hpp"
#include "tessera/io/comparison.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/pipeline/explain.hpp"
#include "tessera/pipeline/plan_instance.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/gpu_aware.hpp"
#include "tessera/view/machine.hpp"

namespace tessera::app {
namespace {

using deck::ValueType;

constexpr std::array output_keys = {"output.file", "output.png", "output.comparison"};

/// Hands the blocks of one array to several sinks.
class Tee final : public BlockSink {
 public:
  void add(std::unique_ptr<BlockSink> sink) { sinks_.push_back(std::move(sink)); }
  void write(const HostBlock& block) override {
    for (auto& sink : sinks_) sink->write(block);
  }

 private:
  std::vector<std::unique_ptr<BlockSink>> sinks_;
};

/// A picture of the input's and the output's middle, made when the output is written.
class ComparisonSink final : public BlockSink {
 public:
  ComparisonSink(MPI_Comm communicator, std::string path, PlanInstance& instance, const Box& domain)
      : communicator_(communicator), path_(std::move(path)), instance_(instance), domain_(domain) {}

  void write(const HostBlock& after) override {
    After sink(*this, after);
    instance_.store("input", sink);
  }

 private:
  /// Takes the input, when the output is known.
  struct After final : BlockSink {
    After(const ComparisonSink& made_by, const HostBlock& result) : owner(made_by), after(result) {}
    void write(const HostBlock& before) override {
      io::write_comparison_png(owner.communicator_, owner.path_, before, after, owner.domain_);
    }
    const ComparisonSink& owner;
    const HostBlock& after;
  };

  MPI_Comm communicator_;
  std::string path_;
  PlanInstance& instance_;
  Box domain_;
};

deck::Schema make_schema(const ScheduleNames& names) {
  deck::Schema schema;
  schema.add({.name = "input.file",
              .type = ValueType::path,
              .group = "Files",
              .help = "The image: PNG or HDF5",
              .required = true});
  schema.add({.name = "input.dataset",
              .type = ValueType::text,
              .group = "Files",
              .help = "The data set of an HDF5 file; without it, the only one"});
  schema.add(
      {.name = "output.file", .type = ValueType::path, .group = "Files", .help = "The result as HDF5"});
  schema.add({.name = "output.png", .type = ValueType::path, .group = "Files", .help = "The result as PNG"});
  schema.add({.name = "output.comparison",
              .type = ValueType::path,
              .group = "Files",
              .help = "A PNG with the middle of the image before and after, magnified"});
  schema.add(
      {.name = "threads",
       .type = ValueType::integer,
       .group = "Machine",
       .help = "Threads per rank; without it OMP_NUM_THREADS, else the cores that the rank may use, shared "
               "evenly by the ranks on them",
       .minimum = 1,
       .maximum = 4096});
  schema.add({.name = "gpu_aware_mpi",
              .type = ValueType::choice,
              .group = "Machine",
              .help = "Whether MPI takes the addresses of device memory; auto asks it and tries",
              .default_text = "auto",
              .choices = {"auto", "on", "off"}});
  declare_schedule_keys(schema, names);
  return schema;
}

/// One run of a PipelineApplication on one rank.
class Run {
 public:
  Run(Session& session, const PipelineApplication& application)
      : session_(session),
        application_(application),
        names_{{"input"}, application.stages, {application.output}},
        schema_(make_schema(names_)) {}

  ExitStatus main(int argc, char** argv) {
    options_ = parse_options(argc, argv);
    if (options_.help) return say(help_text(application_.program, application_.summary, schema_));
    if (options_.version) return say(version_text(application_.program));
    load_deck();
    if (options_.print_deck) return say(deck::print(*deck_));
    prepare();
    if (options_.explain) return explain_plans();
    execute();
    return ExitStatus::done;
  }

 private:
  ExitStatus say(const std::string& text) const {
    if (session_.rank() == 0) fmt::print("{}", text);
    return ExitStatus::done;
  }

  /// Rank 0 reads the decks, so that one copy of a file is what all ranks run.
  void load_deck() {
    std::vector<deck::Source> sources;
    for (const std::string& path : options_.decks) {
      deck::Source source;
      collectively(session_.communicator(), [&] {
        if (session_.rank() == 0) source = deck::read_source(path);
      });
      source.name = path;
      broadcast_text(source.text);
      sources.push_back(std::move(source));
    }
    deck_ = std::make_unique<deck::Deck>(deck::load(schema_, sources, options_.overrides));
  }

  void broadcast_text(std::string& text) const {
    unsigned long long size = text.size();
    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, session_.communicator());
    text.resize(size);
    MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, session_.communicator());
  }

  std::string text_of(const char* key) const {
    return deck_->is_set(key) ? deck_->get<std::string>(key) : std::string();
  }

  /// Everything that can be wrong without touching a pixel.
  void prepare() {
    collectively(session_.communicator(), [&] {
      if (session_.rank() == 0)
        image_ = io::inspect_image(deck_->get<std::string>("input.file"), text_of("input.dataset"));
    });
    image_ = io::broadcast(session_.communicator(), image_);
    check_extents();
    schedule_ = schedule_from_deck(*deck_, names_, !runs_on_host);
    target_.threads = session_.threads(
        deck_->is_set("threads") ? static_cast<int>(deck_->get<std::int64_t>("threads")) : 0);
    target_.device = !runs_on_host;
    const int ranks = options_.ranks > 0 ? options_.ranks : session_.rank_count();
    const bool follows_machine = deck_->get<std::string>("levels") == "machine";
    if (follows_machine && ranks != session_.rank_count())
      deck_->fail("levels", "machine is known only of the ranks that run: leave out --ranks, or write flat");
    if (follows_machine) target_.levels = machine_levels(rank_places(session_.communicator()));
    collectively(session_.communicator(), [&] {
      pipeline_ = std::make_unique<Pipeline>(application_.build(image_));
      plan_ = plan_of(ranks, std::min(session_.rank(), ranks - 1));
    });
  }

  /// Coordinates are 32 bits wide, with room for what stages read beyond the image.
  void check_extents() const {
    constexpr std::int64_t largest = std::int64_t(1) << 30;
    for (int d = 0; d < image_.domain.dimensions; ++d)
      if (image_.domain[d].size() > largest)
        deck_->fail("input.file", fmt::format("the image is {}, but no side may be longer than {}",
                                              to_string(image_.domain), largest));
  }

  Plan plan_of(int ranks, int rank) const {
    try {
      return make_plan(*pipeline_, schedule_, target_, ranks, rank);
    } catch (const ScheduleError& error) {
      deck_->fail(error.key, error.what());
    }
  }

  ExitStatus explain_plans() const {
    if (session_.rank() != 0) return ExitStatus::done;
    PlanTotals totals;
    std::string text;
    for (int rank = 0; rank < plan_.rank_count; ++rank) {
      const Plan plan = plan_of(plan_.rank_count, rank);
      totals.add(*pipeline_, plan);
      text += "\n";
      text += explain(*pipeline_, plan);
    }
    fmt::print("{}\n{}", summary(*pipeline_, plan_, totals), text);
    return ExitStatus::done;
  }

  void check_outputs() const {
    const auto place = [](const std::string& path) {
      return std::filesystem::weakly_canonical(path).string();
    };
    std::map<std::string, const char*> keys = {{place(text_of("input.file")), "input.file"}};
    for (const char* key : output_keys)
      if (const std::string path = text_of(key); !path.empty())
        if (const auto [other, is_new] = keys.emplace(place(path), key); !is_new)
          deck_->fail(key, fmt::format("{} has the same name: give each a name of its own", other->second));
    if (keys.size() == 1)
      throw InputError(
          "nothing to write: give output.file, output.png or output.comparison in the deck or as key=value");
  }

  void execute() {
    const Box& domain = (*pipeline_)[pipeline_->find(application_.output)].domain;
    check_outputs();
    Progress progress(session_.rank(), options_.quiet);
    // Unwritable places are found before any work.
    Tee sinks;
    if (const std::string path = text_of("output.file"); !path.empty())
      sinks.add(io::create_hdf5(session_.communicator(), path, application_.output, domain, image_.type));
    if (const std::string path = text_of("output.png"); !path.empty())
      sinks.add(io::create_png(session_.communicator(), path, domain, image_.type));
    if (const std::string path = text_of("output.comparison"); !path.empty())
      io::create_png(session_.communicator(), path, domain, image_.type);  // a trial, dropped at once
    session_.start_kokkos(target_.threads);
    progress.line(fmt::format("{} {}: {} rank{} x {} thread{}, {}, MPI threads {}; {} {} {}",
                              application_.program, version(), session_.rank_count(),
                              session_.rank_count() == 1 ? "" : "s", target_.threads,
                              target_.threads == 1 ? "" : "s", backends(), session_.thread_level(),
                              text_of("input.file"), to_string(image_.domain), name_of(image_.type)));
    run_plan(sinks, progress);
    for (const char* key : output_keys)
      if (const std::string path = text_of(key); !path.empty()) progress.line("wrote " + path);
  }

  /// Reports what it chooses, where there is a choice.
  Transport choose_messages(Progress& progress) const {
    const std::string wanted = deck_->get<std::string>("gpu_aware_mpi");
    const ChosenTransport chosen =
        choose_transport(session_.communicator(), wanted == "on"    ? GpuAware::on
                                                  : wanted == "off" ? GpuAware::off
                                                                    : GpuAware::detect);
    if (!runs_on_host) progress.line("messages " + chosen.reason);
    return chosen.transport;
  }

  void run_plan(Tee& sinks, Progress& progress) {
    PlanInstance instance(*pipeline_, plan_, session_.communicator(), choose_messages(progress));
    const auto source = io::open_image(session_.communicator(), text_of("input.file"), image_);
    if (const std::string path = text_of("output.comparison"); !path.empty())
      sinks.add(std::make_unique<ComparisonSink>(session_.communicator(), path, instance, image_.domain));
    Bindings bindings;
    bindings.sources.emplace("input", source.get());
    bindings.sinks.emplace(application_.output, &sinks);
    StepTimes times;
    int steps = 0;
    try {
      instance.run(bindings, [&](const PlanNode& node) {
        times.begin(step_kind(node));
        progress.step(++steps, instance.step_count(), step_label(*pipeline_, node));
      });
    } catch (const InputError&) {
      throw;  // sources and sinks have agreed on it
    } catch (const AgreedInternalError&) {
      throw;
    } catch (const std::exception& error) {
      // Here, where the files are still open: to close them all ranks would have to come along.
      session_.abort(application_.program, error.what());
    }
    progress.line(times.text(session_.communicator()));
  }

  Session& session_;
  const PipelineApplication& application_;
  ScheduleNames names_;
  deck::Schema schema_;
  Options options_;
  std::unique_ptr<deck::Deck> deck_;
  io::ImageInfo image_;
  std::unique_ptr<Pipeline> pipeline_;
  Schedule schedule_;
  Target target_;
  Plan plan_;
};

}  // namespace

int run_pipeline_application(int argc, char** argv, const PipelineApplication& application) {
  return run_program(argc, argv, application.program, [&](Session& session, int count, char** values) {
    return Run(session, application).main(count, values);
  });
}

}  // namespace tessera::app
