// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/pipeline_application.hpp"

namespace tessera::app {

/// Returns whether a key is declared and given.
bool is_given(const deck::Deck& deck, const std::string& key);

/// Returns whether an application can run on a series of images. It cannot if it reads no image, if it judges
/// the numbers of its run, or if it has both lists of images and parts.
bool takes_series(const PipelineApplication& application);

/// Returns whether an application that can run on a series of images can run on a video, too. It cannot if it
/// has lists of images whose key must be given.
bool takes_videos(const PipelineApplication& application);

/// Returns the name of the graph of a series, which is also that of the task that computes the whole
/// pipeline: the name of the program without "tessera-".
std::string task_name(const PipelineApplication& application);

/// Returns the key that names a further image for each image of a series, such as `inputs.dark.files`.
std::string files_key(const FurtherImage& further);

/// Returns whether an application has this key. Programs with parts do not have it, nor do further images
/// that may differ from the image of the series, because images of one size share a plan.
bool has_files_key(const PipelineApplication& application, const FurtherImage& further);

/// Returns whether the deck says that all ranks compute each image of a series together. A run first replaces
/// `auto` by the choice that it stands for.
bool goes_across_ranks(const deck::Deck& deck);

/// Returns the names of the tasks of a series that decks may name: `read`, those of the parts, and `write`.
std::vector<std::string> task_names(const PipelineApplication& application);

/// Returns the keys of the graph of a series, except `graph.window`.
std::vector<std::string> keys_of_graph(const PipelineApplication& application);

/// Declares the keys of series: `input.files`, `output.files`, those of videos if the application takes
/// videos, the files of further images, `items.across`, `on_error`, and the block `graph`.
void declare_series_keys(deck::Schema& schema, const PipelineApplication& application);

/// Returns whether all threads compute one image in the task `task`, instead of each thread one.
bool computes_by_kernels(const deck::Deck& deck, const std::string& task);

/// Returns whether a deck names a series of files or a video.
bool is_series(const deck::Deck& deck);

/// Returns whether the images of a series are the frames of a video.
bool reads_video(const deck::Deck& deck);

/// Returns whether the results of a series are the frames of a video.
bool writes_video(const deck::Deck& deck);

/// Returns the key of the input of a series, `input.files` or `input.video`, or of its results.
std::string series_input_key(const deck::Deck& deck);
std::string series_output_key(const deck::Deck& deck);

/// Returns the value of series_output_key: the pattern of the results, or the path of their video.
std::string series_output(const deck::Deck& deck);

/// Throws InputError if the deck of a single image gives a key about series.
void check_no_series_keys(const PipelineApplication& application, const deck::Deck& deck);

/// Throws InputError when a deck does not name one input and one output of a series, when it names a single
/// image, too, or something that a series does not have, such as checkpoints. The deck must name a series.
void check_series_keys(const PipelineApplication& application, const deck::Deck& deck,
                       const Options& options);

}  // namespace tessera::app
