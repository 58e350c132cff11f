// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "tessera/app/file_names.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/deck/deck.hpp"

namespace tessera::app {

/// An image of a series: the files that are read, and the file that is written.
struct SeriesItem {
  std::string input;
  std::string output;
  /// The files that lists of images name for this image, in the order of the inputs of the pipeline.
  std::vector<std::string> listed = {};
  friend bool operator==(const SeriesItem&, const SeriesItem&) = default;
};

/// Returns the images of the series that the keys `input.files` and `output.files` name: the entries of
/// `input.files` in their order, and the files that match a pattern in natural order. Throws InputError when
/// a file or folder is missing, when a pattern is faulty or matches nothing, when `output.files` has an
/// unknown placeholder, lacks one, or has an ending that is not written, and when two results, or a result
/// and an image, are the same file. `shared` are the further images that the series reads, and `lists` the
/// lists of images, each of whose entries must have as many files as `input.files`. Looks at the file system,
/// so that one rank should call it.
std::vector<SeriesItem> series_items(const deck::Deck& deck, const std::vector<NamedFile>& shared = {},
                                     const std::vector<ImageList>& lists = {});

/// Returns the items of rank 0 on all ranks. Collective.
std::vector<SeriesItem> broadcast(MPI_Comm communicator, const std::vector<SeriesItem>& items);

}  // namespace tessera::app
