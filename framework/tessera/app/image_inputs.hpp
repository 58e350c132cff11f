// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "tessera/app/file_names.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/io/image_info.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

/// Declares the keys of the files that an application reads: `input.file`, `input.dataset`, `input.page`, and
/// those of its further images.
void declare_input_keys(deck::Schema& schema, const PipelineApplication& application);

/// Those files.
class ImageInputs {
 public:
  /// Reads what the deck names, as far as headers go. Collective. Throws InputError when one is no image, or
  /// a further one is not like the first.
  ImageInputs(MPI_Comm communicator, const PipelineApplication& application, const deck::Deck& deck);

  /// What `input` is; null when the application reads no image.
  const io::ImageInfo* image() const { return images_.empty() ? nullptr : &images_.front().info; }

  /// The files, by their keys.
  std::vector<NamedFile> files() const;

  /// The sources of the pipeline's inputs, which are this object's.
  void open(Bindings& bindings);

 private:
  /// An input of the pipeline.
  struct Image {
    std::string name;
    std::string path;
    io::ImageInfo info;
    std::unique_ptr<BlockSource> source = nullptr;
  };

  void inspect(const deck::Deck& deck, const std::string& name);

  MPI_Comm communicator_;
  std::vector<Image> images_;
};

}  // namespace tessera::app
