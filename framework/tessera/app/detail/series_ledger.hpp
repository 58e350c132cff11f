// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/series_files.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::app {

/// A file beside the results of a series that lists those that are whole, so that a series that was killed
/// goes on where it was. A result counts as whole if the deck asks for the same computation as then, and if
/// the sizes and times of its file and of all files that it was made from are those of then. A series that
/// reaches its end removes the ledger, so that the next run computes all images again. Several ranks and
/// threads may use a ledger at the same time.
class SeriesLedger {
 public:
  /// Makes the ledger of a series of files. `shared` are the images that the series reads once.
  SeriesLedger(const PipelineApplication& application, const deck::Deck& deck,
               const std::vector<NamedFile>& shared);

  /// Takes those items out of `items` whose results are whole. The last of them stays, and is computed again,
  /// so that there is an image that can be read. One rank should call it, before the first `add`.
  void leave_out_whole(std::vector<SeriesItem>& items);
  /// Returns a line about the results that were left out; an empty text if there are none.
  std::string remark() const;

  /// Makes the file, whose folder must exist, and removes unfinished files that a killed run has left in the
  /// place of results of `items`. One rank should call it.
  void begin(const std::vector<SeriesItem>& items) const;
  /// Notes that the result of `item` is whole.
  void add(const SeriesItem& item) const;
  /// Returns a sink that passes the block of a result on to `sink`, and then calls add(item) on rank 0 of
  /// `communicator`. Its `write_part` must not be used.
  std::unique_ptr<BlockSink> noting(MPI_Comm communicator, const SeriesItem& item,
                                    std::unique_ptr<BlockSink> sink) const;
  /// Removes the file at the end of the series, and unfinished files as begin() does: processes of a killed
  /// run may have lived a little longer. One rank should call it.
  void finish(const std::vector<SeriesItem>& items) const;

 private:
  /// Returns the line of the ledger about an item whose result is whole. It has the present sizes and times
  /// of its files.
  std::string line_of(const SeriesItem& item) const;

  std::string path_;
  std::uint64_t problem_ = 0;
  std::int64_t left_out_ = 0;
};

}  // namespace tessera::app
