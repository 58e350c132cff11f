// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/image_outputs.hpp"

#include <fmt/format.h>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/app/writable_stages.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::app {
namespace {

/// Returns the path that the deck gives for `key`; empty if the deck gives no path or the program lacks the
/// key.
std::string path_of(const deck::Deck& deck, const std::string& key) {
  return deck.schema().find(key) == nullptr ? "" : deck.text_of(key);
}

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

/// Writes the picture that compares the middle of the input with the middle of the output. The picture is
/// made when the block of the output arrives.
class ComparisonSink final : public BlockSink {
 public:
  ComparisonSink(MPI_Comm communicator, std::string path, PlanInstance& instance, const Box& domain)
      : communicator_(communicator), path_(std::move(path)), instance_(instance), domain_(domain) {}

  void write(const HostBlock& after) override {
    After sink(*this, after);
    instance_.store("input", sink);
  }

 private:
  /// A sink for the input. It makes the picture from the block of the input, which is passed to write(), and
  /// the block `after` of the output.
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

void check_outputs(const deck::Deck& deck, std::vector<NamedFile> files,
                   const std::vector<std::string>& reads, bool may_be_none) {
  for (const char* key : {"output.xdmf", "output.stages", "output.chunks", "output.compression"})
    if (deck.schema().find(key) != nullptr && deck.is_set(key) && !deck.is_set("output.file"))
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
  if (!path_of(deck, "output.history").empty()) check_ending(deck, "output.history");
  if (!outputs.empty() || may_be_none) return;
  std::vector<std::string> keys = declared_keys(deck);
  const std::string last = keys.back();
  keys.pop_back();
  throw InputError(fmt::format("nothing to write: give {} or {} in the deck or as key=value",
                               fmt::join(keys, ", "), last));
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

deck::KeyDeclaration file_key(const std::string& name, const std::string& help) {
  return {.name = name, .type = deck::ValueType::path, .group = "Files", .help = help};
}

void declare_keys_about_hdf5(deck::Schema& schema, const PipelineApplication& application) {
  schema.add(
      file_key("output.xdmf", "What ParaView, VisIt and VTK have to know to open output.file, as XDMF"));
  declare_written_stages(schema, application);
  schema.add({.name = "output.chunks",
              .type = deck::ValueType::grid,
              .group = "Files",
              .help = "Chunks of output.file, as points per dimension, x first; auto: 256 along x and y, 1 "
                      "along others; without it, arrays are contiguous unless they are compressed",
              .unit = "points"});
  schema.add({.name = "output.compression",
              .type = deck::ValueType::integer,
              .group = "Files",
              .help = "Compresses the chunks of output.file (DEFLATE, bytes shuffled), the more the larger",
              .minimum = 1,
              .maximum = 9});
}

}  // namespace

bool has_output(const deck::Deck& deck) { return !asked_files(deck).empty(); }

void declare_output_keys(deck::Schema& schema, const PipelineApplication& application) {
  for (const io::Format& format : io::formats()) {
    if (!is_written(application, format)) continue;
    const char* what = is_picture(application, format) ? "A picture of the result" : "The result";
    schema.add(file_key(output_key_in(format), format.help.empty()
                                                   ? fmt::format("{} as {}", what, format.name)
                                                   : std::string(format.help)));
    if (format.id == io::ImageFormat::hdf5) declare_keys_about_hdf5(schema, application);
  }
  schema.add(file_key("output.history",
                      "The residuals of loops, turn by turn, as CSV; output.file holds them, too"));
  if (application.build)
    schema.add(file_key("output.comparison", "A PNG with the middle of the image before and after"));
}

ImageOutputs::ImageOutputs(MPI_Comm communicator, const PipelineApplication& application,
                           const deck::Deck& deck, const ImageInputs& inputs, const Algorithm& pipeline,
                           const ArrayDeclaration* array, const LoopHistory& history,
                           const std::vector<std::string>& reads, int threads)
    : communicator_(communicator), comparison_(path_of(deck, "output.comparison")) {
  check_outputs(deck, inputs.files(), reads, application.output_is_optional);
  if (!has_output(deck)) return;
  if (array == nullptr) throw InternalError(application.program + " has no result to write");
  const ArrayDeclaration& result = *array;
  for (const NamedFile& file : asked_files(deck)) paths_.push_back(file.path);
  result_ = result.name;
  if (deck.is_set("output.file")) add_hdf5(deck, pipeline, result, history);
  if (deck.is_set("output.xdmf")) {
    const bool has_channels = inputs.image() != nullptr || application.generates_images;
    add_xdmf(deck, result, has_channels ? io::ThirdDimension::channel : io::ThirdDimension::z);
  }
  for (const io::Format& format : io::formats()) {
    const std::string path = path_of(deck, output_key_in(format));
    if (path.empty() || format.id == io::ImageFormat::hdf5) continue;
    const bool is_shown = is_picture(application, format);
    const ArrayDeclaration& shown = is_shown ? pipeline[pipeline.find(application.picture)] : result;
    auto sink = io::create_image(communicator, format.id, path, shown.domain, shown.type, threads);
    (is_shown ? stages_[application.picture] : tee_.sinks.emplace_back()) = std::move(sink);
  }
  if (!comparison_.empty()) add_comparison(deck, *inputs.image(), result);
}

void ImageOutputs::add_comparison(const deck::Deck& deck, const io::ImageInfo& image,
                                  const ArrayDeclaration& result) {
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
                            const LoopHistory& history) {
  std::vector<io::FileArray> arrays{{result.name, result.type, result.domain}};
  for (const std::string& name : written_stages(deck)) {
    const ArrayDeclaration& stage = pipeline[pipeline.find(name)];
    if (name == result.name) continue;
    arrays.push_back({name, stage.type, stage.domain});
  }
  const auto notes = [this, &history]() -> io::FileNotes { return {history.lists(), attributes_()}; };
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
    tee_.sinks.push_back(
        std::make_unique<ComparisonSink>(communicator_, comparison_, *instance, input_domain_));
  if (!result_.empty()) bindings.sinks.emplace(result_, &tee_);
  for (const auto& [name, sink] : stages_) bindings.sinks.emplace(name, sink.get());
}

}  // namespace tessera::app
