// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/series_plan.hpp"

namespace tessera::app {

using deck::ValueType;

bool is_given(const deck::Deck& deck, const std::string& key) {
  return deck.schema().find(key) != nullptr && deck.is_set(key);
}

namespace {

/// Returns whether a deck gives another value for a key than its default. A deck that was printed gives all
/// defaults.
bool is_changed(const deck::Deck& deck, const std::string& name) {
  if (!is_given(deck, name)) return false;
  const auto key = std::ranges::find(deck.schema().keys(), name, &deck::Schema::Key::name);
  return deck.schema().default_value(*key) != *deck.find(name);
}

/// Throws InputError about the first of `keys` that `is_meant` accepts, such as is_given or is_changed.
void refuse(const deck::Deck& deck, const std::vector<std::string>& keys, const std::string& message,
            bool (*is_meant)(const deck::Deck&, const std::string&) = is_given) {
  const auto key = std::ranges::find_if(keys, [&](const std::string& one) { return is_meant(deck, one); });
  if (key != keys.end()) deck.fail(*key, message);
}

}  // namespace

bool takes_series(const PipelineApplication& application) {
  return application.build != nullptr && (application.image_lists.empty() || application.parts.empty()) &&
         !application.verdict;
}

std::string files_key(const FurtherImage& further) { return further.keys() + ".files"; }

bool has_files_key(const PipelineApplication& application, const FurtherImage& further) {
  return takes_series(application) && application.parts.empty() && !further.may_differ;
}

bool goes_across_ranks(const deck::Deck& deck) {
  return is_given(deck, "items.across") && deck.text_of("items.across") == "ranks";
}

bool takes_videos(const PipelineApplication& application) {
  return std::ranges::all_of(application.image_lists, &ImageList::may_follow);
}

std::string task_name(const PipelineApplication& application) {
  constexpr std::string_view prefix = "tessera-";
  return application.program.substr(application.program.starts_with(prefix) ? prefix.size() : 0);
}

void declare_series_keys(deck::Schema& schema, const PipelineApplication& application) {
  const auto add = [&](deck::KeyDeclaration key) {
    key.group = "Series";
    schema.add(key);
  };
  add({.name = "input.files",
       .type = ValueType::paths,
       .help =
           "A series of images instead of one: files, or patterns such as frames/*.png, in the order of the "
           "numbers in their names"});
  add({.name = "output.files",
       .type = ValueType::path,
       .help = "The results of a series, such as edges/{name}.png: {name} stands for the name of the image "
               "without "
               "folder and ending, {index} for its number from 0 on"});
  if (takes_videos(application)) {
    add({.name = "input.video",
         .type = ValueType::path,
         .help = "A video instead of an image, frame after frame"});
    add({.name = "output.video",
         .type = ValueType::path,
         .help = "The video of the results: .mkv and .y4m without loss, .mp4 with loss"});
    add({.name = "output.frame_rate",
         .type = ValueType::real,
         .help = "Frames per second of the video of a series of files; without it 25",
         .minimum = 0.001,
         .maximum = 999});
  }
  for (const FurtherImage& further : application.further_images)
    if (has_files_key(application, further))
      add({.name = files_key(further),
           .type = ValueType::paths,
           .help = fmt::format("Another '{}' for each image of a series, in place of {}: files or patterns, "
                               "as many as input.files gives",
                               further.name, further.file_key())});
  add({.name = "items.across",
       .type = ValueType::choice,
       .help = "Whether one rank computes each image of a series (rank), or all ranks together compute one "
               "image after the other (ranks); auto: ranks where memory or bands ask for it",
       .default_text = "auto",
       .choices = {"auto", "rank", "ranks"}});
  add({.name = "on_error",
       .type = ValueType::choice,
       .help = "What happens if a file of a series cannot be read, computed or written: the series ends "
               "(stop), or the file is left out, and the program ends with status 2 (skip)",
       .default_text = "stop",
       .choices = {"stop", "skip"}});
  const auto number = [&](const std::string& name, const std::string& help) {
    add({.name = name, .type = ValueType::integer, .help = help, .minimum = 1, .maximum = 4096});
  };
  number("graph.window",
         "How many images of a series are under way on a rank at the same time; without it two for "
         "each thread, and 4 on groups of ranks");
  number("graph.images.count",
         "How many buffers for images a rank has; without it as many as the images under way need");
  for (const std::string& task : task_names(application)) {
    number(fmt::format("graph.{}.workers", task),
           fmt::format("How many threads of a rank run the task {} at the same time; without it all", task));
    const bool is_pipeline = task != "read" && task != "write";
    add({.name = fmt::format("graph.{}.on", task),
         .type = ValueType::choice,
         .help = is_pipeline
                     ? "threads: each thread computes an image; kernels: all threads compute one image"
                     : "threads: all threads; io: one thread that does nothing else; without it threads, but "
                       "io for HDF5 and FITS, which need it",
         .choices = {"threads", is_pipeline ? "kernels" : "io"}});
  }
}

bool computes_by_kernels(const deck::Deck& deck, const std::string& task) {
  return deck.text_of(fmt::format("graph.{}.on", task)) == "kernels";
}

bool is_series(const deck::Deck& deck) {
  return is_given(deck, series_input_key(deck)) || is_given(deck, series_output_key(deck));
}

bool reads_video(const deck::Deck& deck) { return is_given(deck, "input.video"); }

bool writes_video(const deck::Deck& deck) { return is_given(deck, "output.video"); }

std::string series_input_key(const deck::Deck& deck) {
  return reads_video(deck) ? "input.video" : "input.files";
}

std::string series_output_key(const deck::Deck& deck) {
  return writes_video(deck) ? "output.video" : "output.files";
}

std::string series_output(const deck::Deck& deck) { return deck.text_of(series_output_key(deck)); }

std::vector<std::string> task_names(const PipelineApplication& application) {
  std::vector<std::string> names{"read"};
  for (const PipelinePart& part : parts_of(application)) names.push_back(part.task);
  names.emplace_back("write");
  return names;
}

std::vector<std::string> keys_of_graph(const PipelineApplication& application) {
  std::vector<std::string> keys{"graph.images.count"};
  for (const std::string& task : task_names(application))
    keys.insert(keys.end(), {fmt::format("graph.{}.workers", task), fmt::format("graph.{}.on", task)});
  return keys;
}

namespace {

/// Throws InputError if a key or an option has no effect where one rank computes each image.
void check_keys_of_one_rank(const deck::Deck& deck, const Options& options) {
  refuse(deck, {"idle", "order", "slices", "overlap", "levels", "exchange", "gpu_aware_mpi", "bands"},
         "one rank computes each image, and needs no other: leave it out, or write items.across=ranks",
         is_changed);
  if (options.ranks != 0)
    throw InputError(
        "command line: --ranks: one rank computes each image: leave it out, or write items.across=ranks");
}

/// Throws InputError if a key has no effect where all ranks compute one image after the other.
void check_keys_across(const PipelineApplication& application, const deck::Deck& deck) {
  if (is_program(deck))
    deck.fail("items.across", "this deck divides the series into tasks on groups of ranks: leave it out");
  if (reads_video(deck) && !application.image_lists.empty())
    deck.fail("items.across",
              "each frame goes with the next one, and one rank computes with both: write rank");
  std::vector<std::string> keys = keys_of_graph(application);
  keys.emplace_back("graph.window");
  refuse(deck, keys, "it is about images that one rank computes: leave it out, or write items.across=rank");
}

}  // namespace

void check_no_series_keys(const PipelineApplication& application, const deck::Deck& deck) {
  std::vector<std::string> keys = keys_of_graph(application);
  keys.insert(keys.end(), {"graph.window", "items.across", "on_error", "output.frame_rate"});
  for (const FurtherImage& further : application.further_images) keys.push_back(files_key(further));
  refuse(deck, keys, "it is about series, and this is one image: leave it out", is_changed);
}

void check_series_keys(const PipelineApplication& application, const deck::Deck& deck,
                       const Options& options) {
  const std::string input = series_input_key(deck), output = series_output_key(deck);
  const bool has_files = !reads_video(deck);
  if (!is_given(deck, input))
    refuse(deck, {output},
           fmt::format("'input{}' is not given: give it, too", output.substr(output.find('.'))));
  if (!is_given(deck, output))
    refuse(deck, {input},
           fmt::format("'output{}' is not given: give it, too", input.substr(input.find('.'))));
  if (is_given(deck, "input.files"))
    refuse(deck, {"input.video"}, "'input.files' is given, too: give one of them");
  if (is_given(deck, "output.files"))
    refuse(deck, {"output.video"}, "'output.files' is given, too: give one of them");
  refuse(deck, {application.input_key}, fmt::format("'{}' is given, too: give one of them", input));
  refuse(deck, output_keys(), fmt::format("one file for a series: write {}, and leave this out", output));
  if (!has_files || !writes_video(deck))
    refuse(deck, {"output.frame_rate"}, "it is about the video of a series of files: leave it out");
  refuse(deck,
         {"output.xdmf", "output.comparison", "output.history", "output.stages", "checkpoint.directory",
          "checkpoint.every", "checkpoint.interval", "wall_limit", "restart", "input.raw.shape"},
         "a series does not have this key: leave it out");
  const bool across = goes_across_ranks(deck);
  if (is_program(deck)) {
    refuse(deck, {"bands"}, "a series on groups of ranks has none: leave it out");
    if (!has_files && deck.text_of("on_error") == "skip")
      refuse(deck, {"on_error"},
             "tasks on groups end a video with a frame that fails: leave it out, or write "
             "program.allocation=whole");
  }
  if (across)
    check_keys_across(application, deck);
  else if (!is_program(deck))
    check_keys_of_one_rank(deck, options);
  if (output_key_of(deck.text_of(output)) != "output.file")
    refuse(deck, {"output.chunks", "output.compression"},
           "it is about HDF5 files, and this series writes none: leave it out");
  for (const FurtherImage& further : application.further_images) {
    if (!application.parts.empty() && !across)
      refuse(deck, {further.file_key()},
             "the parts of this program do not read it: write items.across=ranks, or leave it out");
    const std::string files = files_key(further);
    if (is_given(deck, files))
      refuse(deck, {further.file_key()}, fmt::format("'{}' is given, too: give one of them", files));
    if (!has_files) refuse(deck, {files}, "it is about series of files: leave it out");
  }
  if (!has_files)
    for (const ImageList& list : application.image_lists)
      refuse(deck, {list.key}, "each frame of a video goes with the next one: leave it out");
  if (!options.save_plan.empty() && !is_program(deck))
    throw InputError("command line: --save-plan is for single images: leave it out");
}

}  // namespace tessera::app
