// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/series_files.hpp"
#include "tessera/app/detail/series_records.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::app {

/// The files of a series whose images are computed by tasks on groups of ranks. All images have the size and
/// the type of the first one, because the ranks plan once.
class StreamItems {
 public:
  /// Finds the files. Leaves out images before the first one that can be read if the deck says so.
  /// Collective. Throws InputError as series_items does.
  StreamItems(MPI_Comm communicator, const PipelineApplication& application, const deck::Deck& deck);

  /// The images with their results, but for those that were left out.
  const std::vector<SeriesItem>& all() const { return items_; }
  /// The number of images.
  std::int64_t count() const { return std::ssize(items_); }
  /// Returns a deck that names the files of the first image in place of those of the series.
  deck::Deck deck_of_first() const;
  /// Looks at the headers of all files on rank 0. Leaves out images that cannot be read or are not like the
  /// first one if the deck says so, and else throws InputError about the first of them. Collective.
  void check(const RunSetup& first);
  /// Lines about the images that were left out, with their numbers in the series.
  const std::vector<ImageLine>& left_out() const { return left_out_; }
  /// Returns the name of an image, for messages.
  const std::string& file_of(std::int64_t item) const { return all()[static_cast<std::size_t>(item)].input; }
  /// Returns the number in the series of an image. Only rank 0 knows it.
  std::int64_t number_of(std::int64_t item) const { return numbers_[static_cast<std::size_t>(item)]; }

  /// Returns a line about images that an earlier run has computed; empty if there are none. Only rank 0 knows
  /// it.
  std::string remark() const { return ledger_.remark(); }
  /// Begins to note which results are whole. One rank should call it.
  void begin() const { ledger_.begin(items_); }
  /// Forgets which results are whole, at the end of a series. One rank should call it.
  void forget_whole() const { ledger_.finish(items_); }

  /// Opens the file of an input of the pipeline for one rank. Throws InputError.
  std::unique_ptr<BlockSource> open(const RunSetup& first, std::int64_t item, const std::string& input) const;
  /// Creates the file of a result. `attributes` are those of HDF5 files. Collective over `communicator`.
  std::unique_ptr<BlockSink> create(MPI_Comm communicator, std::int64_t item, const ArrayDeclaration& result,
                                    const std::vector<io::FileAttribute>& attributes) const;

 private:
  const SeriesItem& item(std::int64_t number) const { return items_[static_cast<std::size_t>(number)]; }
  /// Whether images are left out that cannot be read.
  bool skips() const;
  /// Throws InputError if the file of an image cannot be read, or has numbers that are not finite where the
  /// application needs finite ones. `place` is the place of the image in the list of input_names.
  void check_readable(std::size_t place, const std::string& path) const;
  /// Leaves out images before the first one whose files can be read, if there is one.
  void begin_with_readable();
  /// Looks at the headers of the files of an image. Throws InputError if they are not alike, or not like that
  /// of the first image.
  void look_at(const RunSetup& first, const SeriesItem& one) const;
  void look_at_all(const RunSetup& first, std::vector<SeriesItem>& good);

  MPI_Comm communicator_;
  const PipelineApplication& application_;
  const deck::Deck& deck_;
  /// The images that the series reads once, and the results that are whole.
  std::vector<NamedFile> shared_;
  SeriesLedger ledger_;
  /// The names in the pipeline of the images that are read.
  std::vector<std::string> inputs_;
  std::vector<SeriesItem> items_;
  /// The numbers in the series of these images. Only rank 0 has them.
  std::vector<std::int64_t> numbers_;
  std::vector<ImageLine> left_out_;
};

}  // namespace tessera::app
