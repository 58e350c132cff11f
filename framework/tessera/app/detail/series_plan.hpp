// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/pipeline_application.hpp"
#include "tessera/graph/pipeline_task.hpp"
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

/// Returns the number of images that are kept for one image of a series: those that are read, and one output
/// of each part.
int images_per_item(const PipelineApplication& application, const deck::Deck& deck);

/// Returns the parts of an application: one with the whole pipeline if the application names none.
std::vector<PipelinePart> parts_of(const PipelineApplication& application);

/// Plans all parts of an application for one rank, for the image `image`. `threads` is the number of worker
/// threads, with which parts compute by kernels; other parts compute with one thread. `shared` are the
/// further images that the series reads once, by name, which the parts may read. Throws InputError when the
/// application does not accept the images or the deck, and InternalError when the parts do not fit together.
SeriesPlan plan_series(const PipelineApplication& application, const deck::Deck& deck,
                       const io::ImageInfo& image, int threads,
                       const std::map<std::string, io::ImageInfo>& shared = {});

/// The memory that the images of a series need on a rank.
class SeriesNeeds {
 public:
  /// Begins with a series without images of its own, but with further images of `shared` bytes. `ranks` is
  /// the number of all ranks.
  SeriesNeeds(const PipelineApplication& application, const deck::Deck& deck, int ranks,
              std::int64_t shared = 0);

  /// Adds images that have the plan `plan`.
  void add(const SeriesPlan& plan);

  /// The bytes of a buffer, which may hold any image, or any output of a part.
  std::int64_t image_bytes() const { return image_bytes_; }
  /// Returns the bytes that a rank needs so that each rank has `window` images under way, with `threads`
  /// threads.
  std::int64_t bytes(std::int64_t window, int threads) const;
  /// Returns the number of images that a rank may have under way so that it needs at most `memory` bytes: as
  /// many as the deck says, or else `most` at most. Throws InputError about `memory` if that is too little.
  std::int64_t window_for(std::int64_t memory, std::int64_t most, int threads) const;

 private:
  struct Part {
    /// The key of the deck that limits the threads which compute the part, and whether all threads compute
    /// one image together.
    std::string workers_key;
    bool is_by_kernels = false;
    /// The bytes that a thread needs besides the images, for each of the few plans that it keeps.
    std::vector<std::int64_t> bytes = {};
  };

  const deck::Deck& deck_;
  std::int64_t shared_bytes_;
  std::int64_t images_per_item_;
  /// The number of frames that rank 0 keeps outside of the buffers, for each image under way.
  std::int64_t frames_per_item_;
  std::int64_t image_bytes_ = 0;
  std::vector<Part> parts_;
};

}  // namespace tessera::app
