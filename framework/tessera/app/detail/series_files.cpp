// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

/// Makes each image go with the image that follows it. The last image leaves the list, as no image follows
/// it.
void add_next(const deck::Deck& deck, std::vector<SeriesItem>& items) {
  if (items.size() < 2)
    deck.fail("input.files", "each image goes with the next one, and there is only one: name more");
  for (std::size_t i = 0; i + 1 < items.size(); ++i) items[i].listed.push_back(items[i + 1].input);
  items.pop_back();
}

/// Adds the files of an input to the images that they belong to.
void add_listed(const deck::Deck& deck, const ListedInput& listed, std::vector<SeriesItem>& items) {
  if (listed.entries.empty()) return add_next(deck, items);
  const std::vector<std::string> files = matching_files(deck, listed.key, listed.entries);
  if (files.size() != items.size())
    deck.fail(listed.key, fmt::format("'{}' gives {}, but input.files {}: give the same number of files",
                                      fmt::join(listed.entries, " "), counted(std::ssize(files), "file"),
                                      counted(std::ssize(items), "file")));
  for (std::size_t i = 0; i < items.size(); ++i) items[i].listed.push_back(files[i]);
}

/// Returns the file of the result of an image: the video of all results, or a file of its own.
std::string path_of_result(const deck::Deck& deck, const std::string& input, std::int64_t index,
                           std::int64_t count) {
  return writes_video(deck) ? series_output(deck) : expanded(deck, "output.files", input, index, count);
}

/// Throws InputError if a result is a file that is read, or if two results are the same file.
void check_outputs(const deck::Deck& deck, const std::vector<SeriesItem>& items,
                   const std::vector<NamedFile>& shared) {
  const std::string key = series_output_key(deck);
  std::map<fs::path, std::string> inputs, outputs, others;
  for (const SeriesItem& item : items)
    for (const std::string& file : item.files()) inputs.emplace(place_of(file), file);
  for (const NamedFile& file : shared) others.emplace(place_of(file.path), file.key);
  for (const SeriesItem& item : items) {
    const fs::path place = place_of(item.output);
    if (inputs.contains(place))
      deck.fail(key, fmt::format("{} is an image of the series: write to another folder", item.output));
    if (const auto read = others.find(place); read != others.end())
      deck.fail(key,
                fmt::format("{} is the file of '{}': write to another folder", item.output, read->second));
    if (const auto [other, is_new] = outputs.emplace(place, item.input); !is_new && !writes_video(deck))
      deck.fail(key, fmt::format("{} and {} would both become {}: use {{index}}", other->second, item.input,
                                 item.output));
  }
}

}  // namespace

std::vector<std::string> SeriesItem::files() const {
  std::vector<std::string> files{input};
  files.insert(files.end(), listed.begin(), listed.end());
  return files;
}

std::vector<ListedInput> listed_inputs(const PipelineApplication& application, const deck::Deck& deck) {
  std::vector<ListedInput> listed;
  for (const ImageList& list : application.image_lists) {
    check_length(deck, list);
    if (!deck.is_set(list.key)) {
      listed.push_back({list.input(0), "input.files", {}});
      continue;
    }
    const auto& entries = deck.get<std::vector<std::string>>(list.key);
    for (std::size_t i = 0; i < entries.size(); ++i)
      listed.push_back({list.input(i), list.key, {entries[i]}});
  }
  for (const FurtherImage& further : application.further_images)
    if (const std::string key = files_key(further); is_given(deck, key))
      listed.push_back({further.name, key, deck.get<std::vector<std::string>>(key), further.keys()});
  return listed;
}

std::vector<std::string> input_names(const PipelineApplication& application, const deck::Deck& deck) {
  std::vector<std::string> names{"input"};
  for (const ListedInput& listed : listed_inputs(application, deck)) names.push_back(listed.name);
  return names;
}

std::string input_key_of(const PipelineApplication& application, const deck::Deck& deck, std::size_t place) {
  return place == 0 ? "input.files" : listed_inputs(application, deck)[place - 1].key;
}

std::vector<NamedFile> shared_files(const PipelineApplication& application, const deck::Deck& deck) {
  std::vector<NamedFile> shared;
  for (const FurtherImage& further : application.further_images)
    if (const std::string key = further.file_key(); deck.is_set(key))
      shared.push_back({key, deck.get<std::string>(key)});
  return shared;
}

deck::Deck deck_of_item(const PipelineApplication& application, const deck::Deck& deck,
                        const SeriesItem& item) {
  deck::Deck single = deck.with(application.input_key, item.input, item.input);
  auto listed = item.listed.begin();
  for (const ImageList& list : application.image_lists) {
    const auto count = static_cast<std::ptrdiff_t>(count_of(deck, list));
    single = single.with(list.key, std::vector<std::string>(listed, listed + count),
                         deck.location(deck.is_set(list.key) ? list.key : "input.files"));
    listed += count;
  }
  for (const FurtherImage& further : application.further_images)
    if (is_given(deck, files_key(further))) {
      single = single.with(further.file_key(), *listed, *listed);
      ++listed;
    }
  return single;
}

std::vector<SeriesItem> series_items(const deck::Deck& deck, const std::vector<NamedFile>& shared,
                                     const std::vector<ListedInput>& listed) {
  std::vector<SeriesItem> items;
  for (const std::string& input :
       matching_files(deck, "input.files", deck.get<std::vector<std::string>>("input.files")))
    items.push_back({input, ""});
  for (const ListedInput& input : listed) add_listed(deck, input, items);
  for (std::size_t i = 0; i < items.size(); ++i)
    items[i].output = path_of_result(deck, items[i].input, static_cast<std::int64_t>(i), std::ssize(items));
  if (!writes_video(deck)) {
    check_written(deck, "output.files");
    if (const std::string pattern = series_output(deck); items.size() > 1 && items.front().output == pattern)
      deck.fail("output.files", fmt::format("{} is one file for {} images: use {{name}} or {{index}}",
                                            pattern, items.size()));
  }
  check_outputs(deck, items, shared);
  return items;
}

void check_frame_item(const deck::Deck& deck, const SeriesItem& frame, const std::vector<NamedFile>& shared) {
  check_written(deck, "output.files");
  if (frame_item(deck, 0).output == frame_item(deck, 1).output)
    deck.fail("output.files",
              fmt::format("{} is one file for all frames: use {{index}}", series_output(deck)));
  check_outputs(deck, {frame}, shared);
}

SeriesItem frame_item(const deck::Deck& deck, std::int64_t index) {
  const std::string video = deck.get<std::string>("input.video");
  return {fmt::format("{}: frame {}", video, index), path_of_result(deck, video, index, 1'000'000)};
}

io::ImageInfo inspect_in_series(const PipelineApplication& application, const deck::Deck& deck,
                                std::size_t place, const std::string& path) {
  const std::string block = place == 0 ? "input" : listed_inputs(application, deck)[place - 1].block;
  io::ImageChoice choice{.dataset = deck.text_of(block + ".dataset")};
  if (const std::string page = block + ".page"; deck.is_set(page))
    choice.page = static_cast<int>(deck.get<std::int64_t>(page));
  return io::inspect_image(path, choice);
}

std::unique_ptr<BlockSource> open_in_series(const PipelineApplication& application, const deck::Deck& deck,
                                            std::size_t place, const std::string& path,
                                            const io::ImageInfo& info) {
  std::unique_ptr<BlockSource> source = io::open_image(MPI_COMM_SELF, path, info);
  return application.needs_finite_images
             ? finite_source(std::move(source), deck, input_key_of(application, deck, place), path)
             : std::move(source);
}

void check_alike(const std::string& path, const io::ImageInfo& image, const std::string& first,
                 const io::ImageInfo& first_image) {
  const std::string text = difference_text("the image of " + path, image, first, first_image);
  if (!text.empty()) throw InputError(text);
}

}  // namespace tessera::app
