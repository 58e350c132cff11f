// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/file_patterns.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::app {

/// Declares the keys of the image files that an application reads: `input.file` or what the application has
/// in its place, `input.dataset`, `input.page`, the block `input.raw`, and the keys of lists of images. For
/// each further image it declares the same keys, with the name of the further image in place of `input`.
void declare_input_keys(deck::Schema& schema, const PipelineApplication& application);

/// Returns the keys `<image>.raw.shape`, `<image>.raw.type`, `<image>.raw.order` and `<image>.raw.offset`,
/// which describe a file that has no header. They have no group.
std::vector<deck::KeyDeclaration> raw_keys(const std::string& image);

/// Returns the description of the file `path`, which is the image `image`. The keys `<image>.raw.*` describe
/// it if the deck has them, and otherwise its header does, where `<image>.dataset` and `<image>.page` say
/// which of several images is meant. Collective. Throws InputError if these keys are missing, have wrong
/// values or contradict each other, and as inspect_raw and inspect_image do.
io::ImageInfo inspect_input(MPI_Comm communicator, const deck::Deck& deck, const std::string& image,
                            const std::string& path);

/// Returns a line that says how an image differs from another one in its domain or element type, and an empty
/// text if it does not. `which` says which image it is, and `other_name` names the other one.
std::string difference_text(const std::string& which, const io::ImageInfo& image,
                            const std::string& other_name, const io::ImageInfo& other);

/// Returns the number of images of a list for each image: 1 where a series leaves the key out.
std::size_t count_of(const deck::Deck& deck, const ImageList& list);

/// Throws InputError if the deck names no files for a list, or more than the list may have.
void check_length(const deck::Deck& deck, const ImageList& list);

/// An image with the key that names it. It is a file, or given by other means, such as a frame of a video.
struct GivenImage {
  /// The key that names it.
  std::string key;
  /// Its path for messages.
  std::string path;
  /// Its description.
  io::ImageInfo info;
};

/// The image files that an application reads.
class ImageInputs {
 public:
  /// Reads the headers of the images that the deck names, in a series those of the further images.
  /// Collective. Throws InputError when a file is not an image, or when a further image does not have the
  /// element type and domain of the first image, but must. If `given` is not null, it is the image `input`,
  /// which open() leaves to the caller.
  ImageInputs(MPI_Comm communicator, const PipelineApplication& application, const deck::Deck& deck,
              const GivenImage* given = nullptr);

  /// Returns the description of the image `input`, or null when the application reads no image, or a series.
  const io::ImageInfo* image() const { return image("input"); }

  /// Returns the description of the image that is the input `name` of the pipeline, or null when there is no
  /// such image.
  const io::ImageInfo* image(const std::string& name) const;

  /// Returns the descriptions of those further images that may differ from the image `input`, by name.
  const std::map<std::string, io::ImageInfo>& different() const { return different_; }

  /// Returns the descriptions of all images, by name.
  std::map<std::string, io::ImageInfo> all() const;

  /// Returns the image files, each with the key that names it.
  std::vector<NamedFile> files() const;

  /// Opens the images, and adds them to `bindings` as the sources of the pipeline's inputs. The sources
  /// belong to this object.
  void open(Bindings& bindings);

 private:
  /// An image file that is an input of the pipeline.
  struct Image : GivenImage {
    std::string name;
    std::unique_ptr<BlockSource> source = nullptr;
  };

  /// Inspects the file `path`, which `key` names. The keys in the block `block` describe it. Collective.
  void inspect(const deck::Deck& deck, const std::string& name, const std::string& key,
               const std::string& block, const std::string& path);
  void inspect_list(const deck::Deck& deck, const ImageList& list);
  /// Throws InputError unless the image that was inspected last is like the first one, which `first_key`
  /// names. `which` says which image it is.
  void check_like_first(const deck::Deck& deck, const std::string& first_key, const std::string& which) const;
  /// Throws InputError if an image that was inspected holds NaN or infinities. Collective.
  void check_finite(const deck::Deck& deck) const;
  /// Lets rank 0 check the elements of the image that was inspected last. Collective.
  void check(const FurtherImage& further, const deck::Deck& deck) const;

  MPI_Comm communicator_;
  bool has_given_;
  std::vector<Image> images_;
  std::map<std::string, io::ImageInfo> different_;
};

/// Reads an image of floats or doubles, and returns the first point at which it holds NaN or an infinity,
/// such as "(3, 5)". Returns an empty text if there is none, or if the image has another type. Collective:
/// each rank reads some of the rows, and all ranks return the same. Throws InputError if the image cannot be
/// read.
std::string first_not_finite(MPI_Comm communicator, const std::string& path, const io::ImageInfo& info);

/// Throws InputError about the key `key`, which names the image at `path`, if `point` is not empty. `point`
/// is what first_not_finite has returned.
void check_finite(const deck::Deck& deck, const std::string& key, const std::string& path,
                  const std::string& point);

/// Throws the same InputError if a block of the image at `path` has NaN or an infinity. Makes no call of MPI.
void check_finite(const deck::Deck& deck, const std::string& key, const std::string& path,
                  const HostBlock& image);

/// Returns a source with the points of `source`, the image at `path`, that throws the same InputError when a
/// block has NaN or an infinity. `deck` must outlive it.
std::unique_ptr<BlockSource> finite_source(std::unique_ptr<BlockSource> source, const deck::Deck& deck,
                                           const std::string& key, const std::string& path);

}  // namespace tessera::app
