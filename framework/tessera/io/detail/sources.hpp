// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <csetjmp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/io/image_source.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Throws InputError when the file at `path` has another type or domain now than those in `info`.
void check_unchanged(const std::string& path, const ImageInfo& info, ElementType type, const Box& domain);

/// Fills `block` from a file that holds the points of `domain` without padding, x fastest. Throws InputError
/// when the file cannot be read.
void read_array(const std::string& path, const RawLayout& layout, const Box& domain, const HostBlock& block);
/// Does the same for points that lie in the file from `place` on as they do in memory.
void read_at(const std::string& path, std::int64_t place, const Box& domain, const HostBlock& block);

/// A function that fills `block` from a file. Throws InputError when the file is damaged, or differs from
/// `info`.
using Read = void (*)(const std::string& path, const ImageInfo& info, const HostBlock& block);

/// A source for a file that each rank reads by itself. If a rank cannot read it, all ranks throw the same
/// error.
class RankwiseSource final : public BlockSource {
 public:
  RankwiseSource(MPI_Comm communicator, std::string path, ImageInfo info, Read read)
      : communicator_(communicator), path_(std::move(path)), info_(std::move(info)), read_(read) {}
  void read(const HostBlock& block) override;

 private:
  MPI_Comm communicator_;
  std::string path_;
  ImageInfo info_;
  Read read_;
};

/// Returns a source for a file that each rank reads by `read`: a function for FormatFunctions.
template <Read read>
std::unique_ptr<BlockSource> open_by_rank(MPI_Comm communicator, const std::string& path,
                                          const ImageInfo& info) {
  return std::make_unique<RankwiseSource>(communicator, path, info, read);
}

class RowDelivery;

/// Decodes a file that can only be read from its beginning, row by row. Every function throws InputError when
/// the file is damaged.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Returns the element type of the image.
  virtual ElementType type() const = 0;
  /// Returns the domain of the image: (x, y) or (x, y, channel).
  virtual Box domain() const = 0;
  /// Decodes the next row, with all channels of a pixel together, in the byte order of this machine.
  virtual void read_row(std::byte* samples) = 0;
  /// Decodes the rest of the file. Must be called after the last row is read.
  virtual void finish() = 0;
};

/// The last error of a C library that decodes a file. An error handler of such a library must not return, nor
/// throw exceptions through C code.
class CodecErrors {
 public:
  /// Leaves the call of `check` with this message.
  [[noreturn]] void leave(const char* message);

  /// Calls `call`, which calls the library. Throws InputError if an error handler leaves it. `call` and the
  /// callbacks of the library must not hold objects with destructors, because leaving skips these
  /// destructors. `kind` is the kind of the file at `path`, such as PNG.
  template <class Call>
  void check(const std::string& path, const char* kind, const Call& call) {
    if (setjmp(jump_) != 0) fail_as_damaged(path, kind);
    call();
  }

 private:
  [[noreturn]] void fail_as_damaged(const std::string& path, const char* kind) const;

  std::jmp_buf jump_;
  char message_[200] = {};
};

/// Reads a file that can only be decoded from its beginning, as open_image says of PNG and JPEG. Blocks that
/// follow each other along y, such as those of bands, are decoded once: the rows in which they overlap are
/// kept in the memory of rank 0, once an overlap has been found.
class RowSource final : public BlockSource {
 public:
  /// A function that opens the file, and returns a reader for it.
  using Open = std::function<std::unique_ptr<RowReader>(const std::string& path)>;
  /// A function that takes row `y` from memory.
  using Take = std::function<void(std::byte* samples, std::int64_t y)>;

  /// Keeps the arguments; the first call of `read` opens the file. `communicator` must outlive the source.
  RowSource(MPI_Comm communicator, std::string path, ImageInfo info, Open open);

  void read(const HostBlock& block) override;

 private:
  /// Passes each row of all blocks to `take` on rank 0, and sends it to the ranks that need it.
  void decode(RowDelivery& delivery, const Take& take);
  void go_back_to(std::int64_t row);
  void begin_again();

  MPI_Comm communicator_;
  std::string path_;
  ImageInfo info_;
  Open open_;
  std::unique_ptr<RowReader> reader_;
  std::int64_t row_bytes_;
  /// The first row that was read by the last call.
  std::int64_t first_ = 0;
  /// The next row that the reader will decode.
  std::int64_t next_ = 0;
  /// The number of rows before `next_` that are kept in `rows_`.
  std::int64_t kept_ = 0;
  /// The largest number of rows that are kept in `rows_`.
  std::int64_t overlap_ = 0;
  /// The samples of the rows that are kept. The index of row y is y modulo `overlap_`.
  std::vector<std::byte> rows_;
};

/// Returns a source for a file that a `Reader` decodes row by row: a function for FormatFunctions.
template <class Reader>
std::unique_ptr<BlockSource> open_by_rows(MPI_Comm communicator, const std::string& path,
                                          const ImageInfo& info) {
  return std::make_unique<RowSource>(communicator, path, info,
                                     [](const std::string& file) { return std::make_unique<Reader>(file); });
}

/// Fills a block from a file that a `Reader` reads: a function for open_by_rank.
template <class Reader>
void read_by(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  Reader reader(path, {.dataset = info.dataset, .page = info.page});
  check_unchanged(path, info, reader.type(), reader.domain());
  reader.read(block);
}

/// Returns what a `Reader` finds in the header of a file: a function for FormatFunctions.
template <class Reader>
ImageInfo inspect_by(const std::string& path, const ImageChoice&) {
  const Reader reader(path);
  return {.type = reader.type(), .domain = reader.domain()};
}

}  // namespace tessera::io::detail
