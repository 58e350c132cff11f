// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/file_endings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace tessera::app {
namespace {

using io::Format;

bool is_image(const Format& format) { return format.output != "xdmf" && format.output != "history"; }

/// Returns the formats of io::formats(), the other formats that are written, and then formats of images whose
/// endings are known only so that they are refused.
const std::vector<Format>& formats() {
  static const std::vector<Format> all = [] {
    std::vector<Format> known = io::formats();
    known.insert(known.end(), {{.name = "XDMF", .output = "xdmf", .endings = {".xdmf", ".xmf"}},
                               {.name = "CSV", .output = "history", .endings = {".csv"}},
                               {.name = "GIF", .endings = {".gif"}},
                               {.name = "BMP", .endings = {".bmp"}},
                               {.name = "WebP", .endings = {".webp"}},
                               {.name = "OpenEXR", .endings = {".exr"}},
                               {.name = "Netpbm", .endings = {".pnm", ".pbm", ".pgm", ".ppm"}}});
    return known;
  }();
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
const Format* format_named_by(const std::string& key) {
  const auto found =
      std::ranges::find(formats(), key == "output.comparison" ? "output.png" : key, output_key_in);
  return found == formats().end() ? nullptr : &*found;
}

bool is_written(const deck::Deck& deck, const Format& format) {
  return !format.output.empty() && deck.schema().find(output_key_in(format)) != nullptr;
}

/// Returns the texts of the image formats that the program writes, such as "PNG, TIFF and FLO".
std::string written_images(const deck::Deck& deck, const char* last_word,
                           std::string (*text_of)(const Format&)) {
  std::vector<std::string> texts;
  for (const Format& format : formats())
    if (is_image(format) && is_written(deck, format)) texts.push_back(text_of(format));
  const std::string last = texts.back();
  texts.pop_back();
  return fmt::format("{} {} {}", fmt::join(texts, ", "), last_word, last);
}

std::string name_and_key(const Format& format) {
  return fmt::format("{} ({})", format.name, output_key_in(format));
}

}  // namespace

bool has_image_ending(const std::string& path) {
  const Format* format = format_of_name(path);
  return format != nullptr && is_image(*format);
}

std::string output_key_in(const Format& format) {
  return format.output.empty() ? "" : fmt::format("output.{}", format.output);
}

std::string output_key_of(const std::string& path) {
  const Format* format = format_of_name(path);
  return format == nullptr || !is_image(*format) ? "" : output_key_in(*format);
}

std::vector<std::string> output_keys() {
  std::vector<std::string> keys;
  for (const Format& format : io::formats())
    if (!format.output.empty()) keys.push_back(output_key_in(format));
  return keys;
}

io::ImageFormat format_of_key(const std::string& key) {
  return std::ranges::find(io::formats(), key, output_key_in)->id;
}

void check_ending(const deck::Deck& deck, const std::string& key) {
  const std::string path = deck.text_of(key);
  const Format *named = format_of_name(path), *written = format_named_by(key);
  if (named == nullptr || written == nullptr || named == written) return;
  if (is_written(deck, *named))
    deck.fail(key, fmt::format("{} is a name for {}: write {}={}, or end it in {}", path, named->name,
                               output_key_in(*named), path, written->endings.front()));
  deck.fail(key,
            fmt::format("{} is a name for {}, which is not written, but {} are: end it in {}", path,
                        named->name, written_images(deck, "and", name_and_key), written->endings.front()));
}

void check_written(const deck::Deck& deck, const std::string& key) {
  const std::string path = deck.text_of(key), output = output_key_of(path);
  if (!output.empty() && deck.schema().find(output) != nullptr) return;
  const auto ending = [](const Format& format) { return std::string(format.endings.front()); };
  deck.fail(key, fmt::format("{} has no ending of a format that is written: end it in {}", path,
                             written_images(deck, "or", ending)));
}

}  // namespace tessera::app
