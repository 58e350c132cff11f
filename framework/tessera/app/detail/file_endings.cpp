// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/file_endings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace tessera::app {
namespace {

struct Format {
  std::string_view name;
  /// The deck key that names a file of this format for writing; empty if programs do not write this format.
  std::string key;
  /// The endings of file names of this format, in lower case. Error messages propose the first ending.
  std::vector<std::string_view> endings;
  bool is_image = true;
};

std::string key_of(const io::Format& format) {
  return format.output.empty() ? "" : "output." + std::string(format.output);
}

/// Returns the table of formats, with the one first that holds all results.
std::vector<io::Format> hdf5_first() {
  std::vector<io::Format> all = io::formats();
  std::stable_partition(all.begin(), all.end(),
                        [](const io::Format& format) { return format.id == io::ImageFormat::hdf5; });
  return all;
}

std::vector<Format> all_formats() {
  std::vector<Format> all;
  for (const io::Format& format : hdf5_first())
    if (!format.endings.empty()) all.push_back({format.name, key_of(format), format.endings});
  // What else is written, and formats of images that are neither read nor written.
  const std::vector<Format> others = {{"XDMF", "output.xdmf", {".xdmf", ".xmf"}, false},
                                      {"CSV", "output.history", {".csv"}, false},
                                      {"GIF", "", {".gif"}},
                                      {"BMP", "", {".bmp"}},
                                      {"WebP", "", {".webp"}},
                                      {"OpenEXR", "", {".exr"}},
                                      {"Netpbm", "", {".pnm", ".pbm", ".pgm", ".ppm"}}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

const std::vector<Format>& formats() {
  static const std::vector<Format> all = all_formats();
  return all;
}

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return ending;
}

/// Returns the format that the ending of a file name stands for, or null if the ending is unknown.
const Format* format_of_name(const std::string& path) {
  const std::string ending = ending_of(path);
  const auto found = std::ranges::find_if(formats(), [&ending](const Format& format) {
    return std::ranges::find(format.endings, ending) != format.endings.end();
  });
  return found == formats().end() ? nullptr : &*found;
}

/// Returns the format of the files that a deck key names, or null if such a file may have any ending.
const Format* format_named_by(std::string_view key) {
  const auto found =
      std::ranges::find(formats(), key == "output.comparison" ? "output.png" : key, &Format::key);
  return found == formats().end() ? nullptr : &*found;
}

bool is_written(const deck::Deck& deck, const Format& format) {
  return !format.key.empty() && deck.schema().find(format.key) != nullptr;
}

/// Returns the image formats that the program writes, such as "HDF5 (output.file), PNG (output.png) and TIFF
/// (output.tiff)".
std::string written_images(const deck::Deck& deck) {
  std::vector<std::string> texts;
  for (const Format& format : formats())
    if (format.is_image && is_written(deck, format))
      texts.push_back(fmt::format("{} ({})", format.name, format.key));
  const std::string last = texts.back();
  texts.pop_back();
  return fmt::format("{} and {}", fmt::join(texts, ", "), last);
}

}  // namespace

bool has_image_ending(const std::string& path) {
  const Format* format = format_of_name(path);
  return format != nullptr && format->is_image;
}

std::string output_key_of(const std::string& path) {
  const Format* format = format_of_name(path);
  return format == nullptr || !format->is_image ? "" : std::string(format->key);
}

std::vector<std::string> output_keys() {
  std::vector<std::string> keys;
  for (const io::Format& format : hdf5_first())
    if (!format.output.empty()) keys.push_back(key_of(format));
  return keys;
}

io::ImageFormat format_of_key(const std::string& key) {
  return std::ranges::find(io::formats(), key, key_of)->id;
}

void check_ending(const deck::Deck& deck, const std::string& key) {
  const std::string path = deck.text_of(key);
  const Format *named = format_of_name(path), *written = format_named_by(key);
  if (named == nullptr || written == nullptr || named == written) return;
  if (is_written(deck, *named))
    deck.fail(key, fmt::format("{} is a name for {}: write {}={}, or end it in {}", path, named->name,
                               named->key, path, written->endings.front()));
  deck.fail(key, fmt::format("{} is a name for {}, which is not written, but {} are: end it in {}", path,
                             named->name, written_images(deck), written->endings.front()));
}

}  // namespace tessera::app
