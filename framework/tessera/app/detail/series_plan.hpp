// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/graph/image.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::app {

/// The plan of one part of an application in a series.
struct PlannedPart {
  std::shared_ptr<const graph::PlannedPipeline> pipeline;
  /// The numbers of the images that the part reads: first come the images that were read, from 0 on, and then
  /// the outputs of the parts.
  std::vector<std::size_t> reads = {};
};

/// The plans of all parts of an application, for images with one domain and element type.
struct SeriesPlan {
  /// The names of the images that are read: "input", and those of the lists of images.
  std::vector<std::string> inputs;
  std::vector<PlannedPart> parts;
  /// For each image, from those that were read on: the points that the plans of the parts that read it need
  /// in memory.
  std::vector<Box> needed;
  /// For each image: the number of parts after which no part reads it any more.
  std::vector<std::size_t> parts_until_free;
  /// The attributes of HDF5 results that are the same for all images with this plan.
  std::vector<io::FileAttribute> attributes = {};

  /// Returns the name of an image: that of one that is read, or that of the output of a part.
  const std::string& image_name(std::size_t image) const {
    return image < inputs.size() ? inputs[image] : parts[image - inputs.size()].pipeline->output;
  }
  /// Returns the declaration of the result, which is the output of the last part.
  const ArrayDeclaration& result() const;
};

/// Returns the parts of an application: one with the whole pipeline if the application names none.
std::vector<PipelinePart> parts_of(const PipelineApplication& application);

/// Plans all parts of an application for one rank, for the image `image`. `threads` is the number of worker
/// threads, which the parts have that compute by kernels; other parts have one thread. `shared` are the
/// further images that the series reads once, by name, which the parts may read. Throws InputError when the application
/// does not accept the images or the deck, and InternalError when the parts do not fit together.
SeriesPlan plan_series(const PipelineApplication& application, const deck::Deck& deck,
                       const io::ImageInfo& image, int threads,
                       const std::map<std::string, io::ImageInfo>& shared = {});

}  // namespace tessera::app
