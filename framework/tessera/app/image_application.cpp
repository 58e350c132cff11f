// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/image_application.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/series_keys.hpp"

namespace tessera::app {
namespace {

/// Returns the extents of a domain as text, such as "600 x 400 x 3".
std::string extents_text(const Box& domain) {
  std::string text = std::to_string(domain[0].size());
  for (int d = 1; d < domain.dimensions; ++d) text += fmt::format(" x {}", domain[d].size());
  return text;
}

bool is_met(const ImageNeeds& needs, const io::ImageInfo& image) {
  const auto& types = needs.types;
  const bool type = types.empty() || std::find(types.begin(), types.end(), image.type) != types.end();
  const std::int64_t has_planes = image.domain.dimensions == 2 ? 0 : image.domain[2].size();
  return type && (!needs.planes || *needs.planes == has_planes) &&
         image.domain[0].size() >= needs.least_width && image.domain[1].size() >= needs.least_height;
}

/// Returns the needs of an application as text, such as "uint8 or float32, without planes, with 4 x 4 points
/// or more".
std::string text_of(const ImageNeeds& needs) {
  std::string text;
  for (std::size_t i = 0; i < needs.types.size(); ++i)
    text += std::string(i == 0                        ? ""
                        : i + 1 == needs.types.size() ? " or "
                                                      : ", ")
                .append(name_of(needs.types[i]));
  const auto add = [&text](const std::string& need) { text += (text.empty() ? "" : ", ") + need; };
  if (needs.planes && *needs.planes == 0) add("without planes");
  if (needs.planes && *needs.planes > 0) add(fmt::format("with {} planes", *needs.planes));
  if (needs.least_width > 1 || needs.least_height > 1)
    add(fmt::format("with {} x {} points or more", needs.least_width, needs.least_height));
  return text;
}

/// Returns whether the last dimension of an HDF5 data set, which is read as x, rather is that of the
/// channels.
bool has_channels_last(const io::ImageInfo& image) {
  constexpr std::int64_t most_channels = 4;
  const Box& domain = image.domain;
  return image.format == io::ImageFormat::hdf5 && domain.dimensions == 3 &&
         domain[0].size() <= most_channels && domain[1].size() > most_channels &&
         domain[2].size() > most_channels;
}

}  // namespace

void check_image(const io::ImageInfo& image, const deck::Deck& deck, const ImageNeeds& needs) {
  if (const int dimensions = image.domain.dimensions; dimensions > 3)
    deck.fail(needs.key, fmt::format("the image has {} dimensions: give one of 2 or 3", dimensions));
  if (has_channels_last(image))
    deck.fail(
        needs.key,
        fmt::format("the data set has the shape ({}, {}, {}), which looks like (rows, columns, channels): "
                    "store the channels first, as numpy.moveaxis(a, -1, 0) does",
                    image.domain[2].size(), image.domain[1].size(), image.domain[0].size()));
  if (!is_met(needs, image))
    deck.fail(needs.key, fmt::format("the image is {} of {}: give one of {}", extents_text(image.domain),
                                     name_of(image.type), text_of(needs)));
}

bool has_output(const deck::Deck& deck) {
  const std::vector<std::string> keys = output_keys();
  return is_given(deck, "output.comparison") ||
         std::ranges::any_of(keys, [&](const std::string& key) { return is_given(deck, key); });
}

bool writes_picture(const deck::Deck& deck) {
  return is_given(deck, "output.png") || is_given(deck, "output.video") ||
         (is_given(deck, "output.files") && output_key_of(deck.text_of("output.files")) == "output.png");
}

std::map<std::string, std::string> stages_of_steps(const Algorithm& pipeline,
                                                   const std::vector<std::string>& steps) {
  std::map<std::string, std::string> within;
  for (const ArrayDeclaration& array : pipeline.arrays()) {
    if (std::ranges::find(steps, array.name) != steps.end()) continue;
    for (const std::string& step : steps)
      if (std::string& known = within[array.name];
          array.name.starts_with(step + "_") && step.size() > known.size())
        known = step;
  }
  std::erase_if(within, [](const auto& stage) { return stage.second.empty(); });
  return within;
}

}  // namespace tessera::app
