// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tessera/app/file_patterns.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::app {

/// An image of a series: the files that are read, and the file that is written.
struct SeriesItem {
  std::string input;
  std::string output;
  /// The other files that are read for this image, in the order of listed_inputs.
  std::vector<std::string> listed = {};
  /// A digest of the state of these files before any image was computed, which the ledger of the series has.
  std::uint64_t made_from = 0;
  /// Returns all files that are read for this image, in the order of input_names.
  std::vector<std::string> files() const;
  friend bool operator==(const SeriesItem&, const SeriesItem&) = default;
  static auto members(auto& item) { return std::tie(item.input, item.output, item.listed, item.made_from); }
};

/// An input of the pipeline, besides `input`, that has a file of its own for each image of a series.
struct ListedInput {
  /// The name of the input.
  std::string name;
  /// The key that names the files of the input, and those entries of the key that do: files or patterns. The
  /// files belong to the images of the series one by one. Without entries, each image goes with the next
  /// image of the series.
  std::string key;
  std::vector<std::string> entries;
  /// The block of the keys that choose an image in a file, such as `input.dataset`.
  std::string block = "input";
};

/// Returns the inputs that have a file for each image: those of lists of images, each with its entry of the
/// list, and the further images whose key `<name>.files` the deck gives.
std::vector<ListedInput> listed_inputs(const PipelineApplication& application, const deck::Deck& deck);

/// Returns the names of the images that are read for each result of a series: "input", and those of
/// listed_inputs.
std::vector<std::string> input_names(const PipelineApplication& application, const deck::Deck& deck);

/// Returns the key that names the files of an image in a series. `place` is the place of the image in the
/// list of input_names.
std::string input_key_of(const PipelineApplication& application, const deck::Deck& deck, std::size_t place);

/// Returns the files of further images that the series reads once, with their keys.
std::vector<NamedFile> shared_files(const PipelineApplication& application, const deck::Deck& deck);

/// Returns the deck of one image of a series: it names the files of `item` by the keys of a single run.
deck::Deck deck_of_item(const PipelineApplication& application, const deck::Deck& deck,
                        const SeriesItem& item);

/// Returns the images of the series that the key `input.files` names, with their results: the entries of
/// `input.files` in their order, and the files that match a pattern in natural order. Throws InputError when
/// a file or folder is missing, when a pattern is faulty or matches nothing, when `output.files` has an
/// unknown placeholder, lacks one, or has an ending that is not written, when two results are the same file,
/// and when a result, or the video of all results, is a file that is read. `shared` are the images that the
/// series reads once, and `listed` the inputs with a file for each image, which must name as many files as
/// `input.files`. Looks at the file system, so one rank should call it.
std::vector<SeriesItem> series_items(const deck::Deck& deck, const std::vector<NamedFile>& shared = {},
                                     const std::vector<ListedInput>& listed = {});

/// Returns the item of a frame of the video that the deck names: its name for messages, and its result. The
/// numbers of frames have six digits.
SeriesItem frame_item(const deck::Deck& deck, std::int64_t index);

/// Throws InputError when the key `output.files` does not give a file for each frame of a video, in a format
/// that is written, or when it gives one of `shared` for `frame`.
void check_frame_item(const deck::Deck& deck, const SeriesItem& frame, const std::vector<NamedFile>& shared);

/// Returns the description of the image in a file of a series. `place` is the place of the image in the list
/// of input_names; the keys `input.dataset` and `input.page`, or those of the further image, choose it.
io::ImageInfo inspect_in_series(const PipelineApplication& application, const deck::Deck& deck,
                                std::size_t place, const std::string& path);

/// Opens the file of a series for one rank. `place` is the place of the image in the list of input_names. The
/// source refuses numbers that are not finite if the application needs finite ones. `deck` must outlive it.
std::unique_ptr<BlockSource> open_in_series(const PipelineApplication& application, const deck::Deck& deck,
                                            std::size_t place, const std::string& path,
                                            const io::ImageInfo& info);

/// Throws InputError if the image of the file `path` is not like that of the file `first`.
void check_alike(const std::string& path, const io::ImageInfo& image, const std::string& first,
                 const io::ImageInfo& first_image);

}  // namespace tessera::app
