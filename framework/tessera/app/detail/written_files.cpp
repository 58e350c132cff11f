// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/written_files.hpp"

#include <fmt/format.h>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/app/image_application.hpp"

namespace tessera::app {
namespace {

/// Returns the keys of the program that name files for the result.
std::vector<std::string> declared_keys(const deck::Deck& deck) {
  std::vector<std::string> keys;
  for (const std::string& key : output_keys())
    if (deck.schema().find(key) != nullptr) keys.push_back(key);
  if (deck.schema().find("output.comparison") != nullptr) keys.emplace_back("output.comparison");
  return keys;
}

/// Returns the files for the result that the deck names, and the XDMF file that describes the HDF5 file.
std::vector<NamedFile> asked_files(const deck::Deck& deck) {
  std::vector<NamedFile> files;
  for (const std::string& key : declared_keys(deck))
    if (deck.is_set(key)) files.push_back({key, deck.text_of(key)});
  if (deck.is_set("output.xdmf")) files.push_back({"output.xdmf", deck.text_of("output.xdmf")});
  return files;
}

/// A sink that passes its blocks to a function.
class FunctionSink final : public BlockSink {
 public:
  explicit FunctionSink(std::function<void(const HostBlock&)> take) : take_(std::move(take)) {}
  void write(const HostBlock& block) override { take_(block); }

 private:
  std::function<void(const HostBlock&)> take_;
};

/// Throws InputError if keys about the HDF5 file are given without the file, if a file has the name of
/// another one or a wrong ending, or if no file is given although `may_be_none` is false.
void check_outputs(const deck::Deck& deck, std::vector<NamedFile> files,
                   const std::vector<std::string>& reads, bool may_be_none) {
  for (const char* key : {"output.xdmf", "output.stages", "output.chunks", "output.compression"})
    if (is_given(deck, key) && !deck.is_set("output.file"))
      deck.fail(key, "it is about the HDF5 file, and there is none: give output.file, too");
  const std::vector<NamedFile> outputs = asked_files(deck);
  for (const NamedFile& output : outputs) {
    check_names(reads, {{fmt::format("{}:", output.key), output.path}});
    for (const NamedFile& other : files)
      if (place_of(other.path) == place_of(output.path))
        deck.fail(output.key, fmt::format("{} has the same name: give each a name of its own", other.key));
    check_ending(deck, output.key);
    files.push_back(output);
  }
  if (deck.is_set("output.history")) check_ending(deck, "output.history");
  if (!outputs.empty() || may_be_none) return;
  std::vector<std::string> keys = declared_keys(deck);
  const std::string last = keys.back();
  keys.pop_back();
  throw InputError(fmt::format("nothing to write: give {} or {} in the deck or as key=value",
                               fmt::join(keys, ", "), last));
}

/// Throws InputError when the deck asks for a picture that compares input and result, but the picture cannot
/// be made because `plan` has bands or because a loop changes the input.
void check_comparison(const RunSetup& setup, const Plan& plan) {
  const deck::Deck& deck = setup.deck;
  if (setup.inputs.image() == nullptr || !deck.is_set("output.comparison")) return;
  if (band_of(plan) != nullptr)
    deck.fail("output.comparison",
              "nothing keeps the middle of an image that is computed in bands: leave it out");
  for (const LoopDeclaration& loop : setup.pipeline->loops())
    for (const auto& feed : loop.feeds)
      if (const ArrayDeclaration& to = (*setup.pipeline)[feed.to]; to.is_input() && to.name == "input")
        deck.fail("output.comparison",
                  fmt::format("the loop '{}' changes the input, and nothing is left to compare the result "
                              "with: leave it out",
                              loop.name));
}

/// Returns whether the program has a key for files of the format.
bool is_written(const PipelineApplication& application, const io::Format& format) {
  if (format.id == io::ImageFormat::rle) return application.writes_patterns;
  if (format.id == io::ImageFormat::flo) return application.writes_flows;
  return !format.output.empty();
}

/// Returns whether files of the format show the picture of the program instead of its result.
bool is_picture(const PipelineApplication& application, const io::Format& format) {
  return format.id == io::ImageFormat::png && !application.picture.empty();
}

void declare_keys_about_hdf5(deck::Schema& schema, const PipelineApplication& application) {
  schema.add("Files", {{.name = "output.xdmf",
                        .type = deck::ValueType::path,
                        .help = "An XDMF file with which ParaView, VisIt and VTK open output.file"}});
  declare_written_stages(schema, application);
  schema.add(
      "Files",
      {{.name = "output.chunks",
        .type = deck::ValueType::grid,
        .help = "Chunks of output.file, as points per dimension, x first; auto: 256 along x and y, 1 "
                "along others; without it, arrays are contiguous unless they are compressed",
        .unit = "points"},
       {.name = "output.compression",
        .type = deck::ValueType::integer,
        .help =
            "Compresses the chunks of output.file (DEFLATE, bytes shuffled); larger numbers compress more",
        .minimum = 1,
        .maximum = 9}});
}

}  // namespace

void declare_output_keys(deck::Schema& schema, const PipelineApplication& application) {
  const auto add_path = [&](const std::string& name, const std::string& help) {
    schema.add("Files", {{.name = name, .type = deck::ValueType::path, .help = help}});
  };
  for (const io::Format& format : io::formats()) {
    if (!is_written(application, format)) continue;
    const char* what = is_picture(application, format) ? "A picture of the result" : "The result";
    add_path(output_key_in(format),
             format.help.empty() ? fmt::format("{} as {}", what, format.name) : std::string(format.help));
    if (format.id == io::ImageFormat::hdf5) declare_keys_about_hdf5(schema, application);
  }
  add_path("output.history", "The residuals of loops, turn by turn, as CSV; output.file holds them, too");
  if (application.build) add_path("output.comparison", "A PNG with the middle of the image before and after");
}

ImageOutputs::ImageOutputs(const RunSetup& setup, const LoopRecorder& loops, const Plan& plan)
    : communicator_(setup.session.communicator()) {
  const deck::Deck& deck = setup.deck;
  check_comparison(setup, plan);
  check_outputs(deck, setup.inputs.files(), setup.deck_files, setup.application.output_is_optional);
  for (const NamedFile& file : asked_files(deck)) paths_.push_back(file.path);
  if (paths_.empty()) return;
  if (setup.result() == nullptr) throw InternalError(setup.application.program + " has no result to write");
  const ArrayDeclaration& result = *setup.result();
  result_ = result.name;
  if (deck.is_set("output.file")) add_hdf5(deck, *setup.pipeline, result, loops);
  if (deck.is_set("output.xdmf")) {
    const bool has_channels = setup.inputs.image() != nullptr || setup.application.generates_images;
    add_xdmf(deck, result, has_channels ? io::ThirdDimension::channel : io::ThirdDimension::z);
  }
  add_images(setup, result, plan.target.threads);
  if (is_given(deck, "output.comparison")) add_comparison(deck, *setup.inputs.image(), result);
}

void ImageOutputs::add_images(const RunSetup& setup, const ArrayDeclaration& result, int threads) {
  const std::string& picture = setup.application.picture;
  for (const io::Format& format : io::formats()) {
    const std::string key = output_key_in(format);
    if (!is_given(setup.deck, key) || format.id == io::ImageFormat::hdf5) continue;
    const bool is_shown = is_picture(setup.application, format);
    const ArrayDeclaration& shown = is_shown ? (*setup.pipeline)[setup.pipeline->find(picture)] : result;
    auto sink = io::create_image(communicator_, format.id, setup.deck.text_of(key), shown.domain, shown.type,
                                 threads);
    (is_shown ? stages_[picture] : tee_.sinks.emplace_back()) = std::move(sink);
  }
}

void ImageOutputs::add_comparison(const deck::Deck& deck, const io::ImageInfo& image,
                                  const ArrayDeclaration& result) {
  comparison_ = deck.text_of("output.comparison");
  input_domain_ = image.domain;
  if (result.type != image.type || !(result.domain == image.domain))
    deck.fail(
        "output.comparison",
        fmt::format(
            "the image is {} {}, but the result {} {}: only equal ones can be compared, so leave it out",
            to_string(image.domain), name_of(image.type), to_string(result.domain), name_of(result.type)));
  // Tests that the file can be written. The sink is destroyed at once.
  io::create_image(communicator_, io::ImageFormat::png, comparison_, image.domain, image.type);
}

void ImageOutputs::add_hdf5(const deck::Deck& deck, const Algorithm& pipeline, const ArrayDeclaration& result,
                            const LoopRecorder& loops) {
  std::vector<io::FileArray> arrays{{result.name, result.type, result.domain}};
  for (const std::string& name : written_stages(deck))
    if (const ArrayDeclaration& stage = pipeline[pipeline.find(name)]; name != result.name)
      arrays.push_back({name, stage.type, stage.domain});
  const auto notes = [this, &loops]() -> io::FileNotes { return {loops.history_lists(), attributes_()}; };
  auto sinks = io::create_hdf5(communicator_, deck.text_of("output.file"), arrays, hdf5_storage(deck), notes);
  tee_.sinks.push_back(std::move(sinks.front()));
  for (std::size_t i = 1; i < arrays.size(); ++i) stages_[arrays[i].name] = std::move(sinks[i]);
}

void ImageOutputs::add_xdmf(const deck::Deck& deck, const ArrayDeclaration& result,
                            io::ThirdDimension third) {
  if (result.domain.dimensions > 3)
    deck.fail("output.xdmf",
              fmt::format("XDMF has no grids of {} dimensions: leave it out", result.domain.dimensions));
  tee_.sinks.push_back(io::create_xdmf(communicator_, deck.text_of("output.xdmf"),
                                       deck.text_of("output.file"), result.name, result.domain, result.type,
                                       third));
}

void ImageOutputs::listen(Bindings& bindings, PlanInstance* instance,
                          std::function<std::vector<io::FileAttribute>()> attributes) {
  attributes_ = std::move(attributes);
  if (!comparison_.empty())
    tee_.sinks.push_back(std::make_unique<FunctionSink>([this, instance](const HostBlock& after) {
      FunctionSink input([&](const HostBlock& before) {
        io::write_comparison_png(communicator_, comparison_, before, after, input_domain_);
      });
      instance->store("input", input);
    }));
  if (!result_.empty()) bindings.sinks.emplace(result_, &tee_);
  for (const auto& [name, sink] : stages_) bindings.sinks.emplace(name, sink.get());
}

WrittenFiles::WrittenFiles(const RunSetup& setup, const LoopRecorder& loops, const Plan& plan)
    : outputs(setup, loops, plan),
      records(setup.session.communicator(), setup.options, setup.deck.text_of("output.history"),
              joined(outputs.paths(), setup.read_files())) {}

std::vector<std::string> WrittenFiles::paths() const { return joined(outputs.paths(), records.paths()); }

io::Hdf5Storage hdf5_storage(const deck::Deck& deck) {
  io::Hdf5Storage storage;
  storage.chunked = deck.is_set("output.chunks");
  if (storage.chunked)
    for (const auto& points : deck.get<deck::GridValue>("output.chunks").entries)
      storage.chunk.push_back(points.value_or(0));
  if (deck.is_set("output.compression"))
    storage.compression = static_cast<int>(deck.get<std::int64_t>("output.compression"));
  return storage;
}

std::vector<io::FileAttribute> result_attributes(const PipelineApplication& application,
                                                 const deck::Deck& deck, const Algorithm& pipeline,
                                                 const std::string& result, const Plan& plan) {
  return {{"program", application.program},
          {"version", version()},
          {"libraries", libraries_text()},
          {"deck", deck::print(deck)},
          {"ranks", std::int64_t(plan.rank_count)},
          {"threads_per_rank", std::int64_t(plan.target.threads)},
          {"grid", plan.stages[pipeline.find(result)].grid.text()}};
}

}  // namespace tessera::app
