// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/image_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/raw_inputs.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

void declare_image(deck::Schema& schema, const std::string& name, const std::string& help, bool required,
                   bool or_series = false) {
  schema.add({.name = name + ".file",
              .type = deck::ValueType::path,
              .group = "Files",
              .help = help + ": PNG, HDF5, TIFF, JPEG, FITS or RLE",
              .required = required,
              .alternatives = or_series ? std::vector<std::string>{"input.files", "input.video"}
                                        : std::vector<std::string>{}});
  schema.add({.name = name + ".dataset",
              .type = deck::ValueType::text,
              .group = "Files",
              .help = "The data set of an HDF5 file, the extension of a FITS file (its name or number); "
                      "without it, the only one, the first image"});
  schema.add({.name = name + ".page",
              .type = deck::ValueType::integer,
              .group = "Files",
              .help = "The page of a TIFF file, from 0 on; without it, the first",
              .minimum = 0,
              .maximum = std::numeric_limits<int>::max()});
  for (const deck::KeyDeclaration& key : raw_keys(name)) schema.add(key);
}

}  // namespace

void declare_input_keys(deck::Schema& schema, const PipelineApplication& application) {
  if (application.build) declare_image(schema, "input", "The image", true, takes_series(application));
  for (const FurtherImage& further : application.further_images) {
    if (further.may_differ && !application.build_with)
      throw AgreedInternalError(
          fmt::format("PipelineApplication::build_with: the image '{}' may differ from the input image "
                      "(FurtherImage::may_differ): set the function that makes the pipeline for it",
                      further.name));
    declare_image(schema, further.keys(), further.help, further.required);
  }
}

ImageInputs::ImageInputs(MPI_Comm communicator, const PipelineApplication& application,
                         const deck::Deck& deck)
    : communicator_(communicator) {
  if (application.build && deck.is_set("input.file")) inspect(deck, "input", "input");
  for (const FurtherImage& further : application.further_images) {
    const std::string key = further.keys() + ".file";
    for (const char* about : {".dataset", ".page", ".raw.shape", ".raw.type", ".raw.order", ".raw.offset"})
      if (!deck.is_set(key) && deck.is_set(further.keys() + about))
        deck.fail(further.keys() + about, fmt::format("'{}' is not given: give it, too", key));
    if (!deck.is_set(key)) continue;
    inspect(deck, further.name, further.keys());
    if (further.check) check(further, deck);
    if (further.may_differ) {
      different_.emplace(further.name, images_.back().info);
      continue;
    }
    const io::ImageInfo &first = images_.front().info, &info = images_.back().info;
    if (info.type != first.type || !(info.domain == first.domain))
      deck.fail(key, fmt::format("the image is {} of {}, but that of input.file {} of {}: give one like it",
                                 to_string(info.domain), name_of(info.type), to_string(first.domain),
                                 name_of(first.type)));
  }
}

void ImageInputs::inspect(const deck::Deck& deck, const std::string& name, const std::string& keys) {
  io::ImageChoice choice{.dataset = deck.text_of(keys + ".dataset")};
  if (const std::string page = keys + ".page"; deck.is_set(page))
    choice.page = static_cast<int>(deck.get<std::int64_t>(page));
  images_.push_back({.name = name,
                     .keys = keys,
                     .path = deck.get<std::string>(keys + ".file"),
                     .info = inspect_input(communicator_, deck, keys, choice)});
}

void ImageInputs::check(const FurtherImage& further, const deck::Deck& deck) const {
  collectively(communicator_, [&] {
    int rank = 0;
    MPI_Comm_rank(communicator_, &rank);
    const Image& image = images_.back();
    if (rank == 0) further.check(deck, image.info, *io::open_image(MPI_COMM_SELF, image.path, image.info));
  });
}

const io::ImageInfo* ImageInputs::image(const std::string& name) const {
  const auto found = std::ranges::find(images_, name, &Image::name);
  return found == images_.end() ? nullptr : &found->info;
}

std::vector<NamedFile> ImageInputs::files() const {
  std::vector<NamedFile> files;
  for (const Image& image : images_) files.push_back({image.keys + ".file", image.path});
  return files;
}

void ImageInputs::open(Bindings& bindings) {
  for (Image& image : images_) {
    image.source = io::open_image(communicator_, image.path, image.info);
    bindings.sources.emplace(image.name, image.source.get());
  }
}

}  // namespace tessera::app
