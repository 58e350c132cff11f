// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/image_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tessera/app/file_names.hpp"
#include "tessera/io/comparison.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::app {
namespace {

constexpr std::array output_keys = {"output.file", "output.png", "output.comparison"};

std::string path_of(const deck::Deck& deck, const char* key) {
  return deck.is_set(key) ? deck.get<std::string>(key) : std::string();
}

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

/// A file that the deck names, and the key it names it by.
struct NamedFile {
  std::filesystem::path place;
  const char* key;
};

void check_outputs(const deck::Deck& deck, const std::vector<std::string>& reads) {
  std::vector<NamedFile> files = {{place_of(path_of(deck, "input.file")), "input.file"}};
  for (const char* key : output_keys)
    if (const std::string path = path_of(deck, key); !path.empty()) {
      check_names(reads, {{fmt::format("{}:", key), path}});
      const NamedFile file{place_of(path), key};
      if (const auto other = std::ranges::find(files, file.place, &NamedFile::place); other != files.end())
        deck.fail(key, fmt::format("{} has the same name: give each a name of its own", other->key));
      files.push_back(file);
    }
  if (files.size() == 1)
    throw InputError(
        "nothing to write: give output.file, output.png or output.comparison in the deck or as key=value");
}

}  // namespace

void declare_output_keys(deck::Schema& schema) {
  using deck::ValueType;
  schema.add(
      {.name = "output.file", .type = ValueType::path, .group = "Files", .help = "The result as HDF5"});
  schema.add({.name = "output.png", .type = ValueType::path, .group = "Files", .help = "The result as PNG"});
  schema.add({.name = "output.comparison",
              .type = ValueType::path,
              .group = "Files",
              .help = "A PNG with the middle of the image before and after, magnified"});
}

ImageOutputs::ImageOutputs(MPI_Comm communicator, const deck::Deck& deck, const io::ImageInfo& image,
                           const StageDeclaration& result, const std::vector<std::string>& reads)
    : communicator_(communicator),
      input_domain_(image.domain),
      comparison_(path_of(deck, "output.comparison")) {
  check_outputs(deck, reads);
  for (const char* key : output_keys)
    if (const std::string path = path_of(deck, key); !path.empty()) paths_.push_back(path);
  if (const std::string path = path_of(deck, "output.file"); !path.empty())
    tee_.sinks.push_back(io::create_hdf5(communicator, path, result.name, result.domain, result.type));
  if (const std::string path = path_of(deck, "output.png"); !path.empty())
    tee_.sinks.push_back(io::create_png(communicator, path, result.domain, result.type));
  if (comparison_.empty()) return;
  if (result.type != image.type || !(result.domain == image.domain))
    deck.fail(
        "output.comparison",
        fmt::format(
            "the image is {} {}, but the result {} {}: only equal ones can be compared, so leave it out",
            to_string(image.domain), name_of(image.type), to_string(result.domain), name_of(result.type)));
  io::create_png(communicator, comparison_, image.domain, image.type);  // a trial, dropped at once
}

BlockSink& ImageOutputs::sink(PlanInstance& instance) {
  if (!comparison_.empty())
    tee_.sinks.push_back(
        std::make_unique<ComparisonSink>(communicator_, comparison_, instance, input_domain_));
  return tee_;
}

}  // namespace tessera::app
