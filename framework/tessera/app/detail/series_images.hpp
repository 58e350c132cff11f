// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/series_files.hpp"
#include "tessera/app/detail/series_plan.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/session.hpp"
#include "tessera/graph/pipeline_task.hpp"
#include "tessera/graph/pool.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::app {

/// The further images of a series, such as the kernel of convolutions. Each file is read once, and all images
/// of the series are computed with it.
class SharedImages {
 public:
  /// Reads the further images that the deck names, all of each on every rank. Collective. Throws InputError.
  SharedImages(Session& session, const PipelineApplication& application, const deck::Deck& deck);

  /// Returns the files, and the descriptions of the images.
  const ImageInputs& inputs() const { return inputs_; }
  /// Returns the bytes of the points of all images.
  std::int64_t bytes() const;
  /// Adds the images to `bindings` as sources of a pipeline's inputs. Several threads may read these sources
  /// at the same time.
  void bind(Bindings& bindings) const;

 private:
  /// An image in memory.
  class Points final : public BlockSource {
   public:
    Points(ElementType type, const Box& box)
        : bytes_(static_cast<std::size_t>(box.size()) * size_of(type)),
          block_(packed_block(bytes_.data(), type, box)) {}
    void read(const HostBlock& to) override { copy_part(block_, to, to.box); }
    const HostBlock& block() const { return block_; }
    std::int64_t bytes() const { return std::ssize(bytes_); }

   private:
    std::vector<std::byte> bytes_;
    HostBlock block_;
  };

  ImageInputs inputs_;
  std::map<std::string, std::unique_ptr<Points>> images_;
};

/// An image of a series on its way through the graph.
struct SeriesImage {
  /// The number of the image in the series, or of the frame in the video.
  std::int64_t index = 0;
  /// The plan for images of this shape.
  std::shared_ptr<const SeriesPlan> plan = {};
  /// The images that were read, and the outputs of the parts that have been computed. Those that no later
  /// part reads have been given back.
  std::vector<graph::Lease<graph::Image>> images = {};
  /// A line about the first loop whose condition does not hold at its end; empty if there is none.
  std::string unfinished = {};
  /// The frames of a video that have not been read into `images` yet, by their places.
  std::vector<graph::Lease<graph::PackedImage>> frames = {};
  /// The residuals of each iteration of the loops, as HDF5 results have them.
  std::vector<io::NumberList> history = {};

  /// Returns what was read or computed last.
  const graph::Image& last() const { return *images.back(); }
};

/// Adds `memory` for the next image that the plan reads to `image`, with the layout that the plan needs.
/// Returns its points.
HostBlock add_input(SeriesImage& image, graph::Lease<graph::Image> memory);

/// Returns the description of the image in a file of a series. `place` is the place of the image in the list
/// of input_names; the keys `input.dataset` and `input.page`, or those of the further image, choose it.
io::ImageInfo inspect_in_series(const PipelineApplication& application, const deck::Deck& deck,
                                std::size_t place, const std::string& path);

/// Opens the file of a series for one rank. `place` is the place of the image in the list of input_names. The
/// source refuses numbers that are not finite if the application needs finite ones. `deck` must outlive it.
std::unique_ptr<BlockSource> open_in_series(const PipelineApplication& application, const deck::Deck& deck,
                                            std::size_t place, const std::string& path,
                                            const io::ImageInfo& info);

/// Creates the output file of `item`, in the format of its ending, for a result of the given type and points
/// with the name `name`. HDF5 files hold what `notes` returns when the result has been written, to which the
/// names of the images are added. `inputs` are the names of these in the pipeline. Collective over
/// `communicator`.
std::unique_ptr<BlockSink> create_result(MPI_Comm communicator, const deck::Deck& deck,
                                         const SeriesItem& item, const std::string& name, ElementType type,
                                         const Box& box, const std::vector<std::string>& inputs,
                                         std::function<io::FileNotes()> notes);

/// Reads, plans and writes the images of a series. Several threads may use it at the same time.
class SeriesImages {
 public:
  /// `shared` has the further images of the series, and `threads` is the number of worker threads. The other
  /// arguments must outlive this object, too.
  SeriesImages(const PipelineApplication& application, const deck::Deck& deck, const SharedImages& shared,
               int threads);

  /// Returns the plan for an image. `path` is named in errors. Throws InputError when the application does
  /// not accept the image.
  std::shared_ptr<const SeriesPlan> plan_for(const std::string& path, const io::ImageInfo& info);
  /// Returns all plans so far.
  std::vector<std::shared_ptr<const SeriesPlan>> plans() const { return plans_.all(); }
  /// Returns inspect_in_series of a file.
  io::ImageInfo inspect(std::size_t place, const std::string& path) const {
    return inspect_in_series(application_, deck_, place, path);
  }
  /// Throws InputError if the image of a file that a list names is not like that of the file `first`.
  static void check_alike(const std::string& path, const io::ImageInfo& image, const std::string& first,
                          const io::ImageInfo& first_image);
  /// Reads the next file of `item` into the memory of `to`, and adds it to `image`, which gets its plan with
  /// the first one. Throws InputError that names the file, also if the image is not like the first one.
  void read(const SeriesItem& item, SeriesImage& image, graph::Lease<graph::Image> to);
  /// Writes the result `image` to the output file of `item`, in the format of its ending.
  void write(const SeriesItem& item, const SeriesImage& image) const;

 private:
  const PipelineApplication& application_;
  const deck::Deck& deck_;
  const SharedImages& shared_;
  int threads_;
  graph::PlanCache<SeriesPlan> plans_;
};

}  // namespace tessera::app
