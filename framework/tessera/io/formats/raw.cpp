// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/sinks.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace detail {
namespace {

constexpr const char* raw_kind = "a file of raw data";

/// The greatest distance of runs that are read in one call. If two runs begin at most this many
/// bytes apart, two calls take longer than one call that also reads the bytes between the runs.
constexpr std::int64_t page_bytes = 4096;
/// The size of the buffer for several runs, which is small enough for the cache of a processor.
constexpr std::int64_t staged_bytes = std::int64_t{64} << 10;

template <std::size_t Bytes>
void reverse_each(std::byte* data, std::int64_t bytes) {
  for (std::byte* end = data + bytes; data != end; data += Bytes) std::reverse(data, data + Bytes);
}

void reverse_bytes(std::byte* data, std::int64_t bytes, ElementType type) {
  const std::size_t size = size_of(part_type(type));
  if (size == 2) reverse_each<2>(data, bytes);
  if (size == 4) reverse_each<4>(data, bytes);
  if (size == 8) reverse_each<8>(data, bytes);
}

/// A sequence of bytes in a file, and the memory that receives them.
struct Run {
  std::int64_t begin;
  std::int64_t bytes;
  std::byte* memory;
};

/// Reads runs, which are added in the order of the file. Runs that are close to each other are read in one
/// call.
class RunReader {
 public:
  RunReader(const std::string& path, std::FILE* file) : path_(path), file_(::fileno(file)) {}

  void add(const Run& run) {
    if (!waiting_.empty() && (run.begin - waiting_.back().begin > page_bytes ||
                              run.begin + run.bytes - waiting_.front().begin > staged_bytes))
      read_waiting();
    waiting_.push_back(run);
  }

  /// Reads the runs that have been added but not read. Must be called after the last run is added.
  void read_waiting() {
    if (waiting_.size() == 1) read(waiting_.front());
    if (waiting_.size() > 1) {
      const std::int64_t begin = waiting_.front().begin;
      buffer_.resize(static_cast<std::size_t>(staged_bytes));
      read({begin, waiting_.back().begin + waiting_.back().bytes - begin, buffer_.data()});
      for (const Run& run : waiting_)
        std::memcpy(run.memory, buffer_.data() + (run.begin - begin), static_cast<std::size_t>(run.bytes));
    }
    waiting_.clear();
  }

 private:
  /// Reads all bytes of a run, in several calls if the system reads fewer bytes than a call asks for.
  void read(Run rest) const {
    while (rest.bytes > 0) {
      const ::ssize_t read = ::pread(file_, rest.memory, static_cast<std::size_t>(rest.bytes), rest.begin);
      if (read < 0 && errno == EINTR) continue;
      if (read < 0) fail(path_, error_text(errno), "check the file's permissions");
      if (read == 0) fail(path_, "became shorter while the program ran", "start again");
      rest = {rest.begin + read, rest.bytes - read, rest.memory + read};
    }
  }

  std::string path_;
  int file_;
  std::vector<Run> waiting_;
  std::vector<std::byte> buffer_;
};

/// The most bytes that are announced to the system before they are read. They have to stay in memory until
/// then.
constexpr std::int64_t announced_bytes = std::int64_t{64} << 20;

/// Tells the system which runs are read next, unless they are short. It then has many of them fetched from
/// the disk at the same time, which takes less than half as long as one after the other.
void announce(std::FILE* file, const RawLayout& layout, const Box& domain, const HostBlock& block) {
  const auto size = static_cast<std::int64_t>(size_of(block.type));
  if (block.box[0].size() * size < page_bytes || block.box[0] == domain[0] ||
      block.box.size() * size > announced_bytes)
    return;
  for_each_run(block, domain, [&](std::int64_t first, std::int64_t points, std::byte*) {
    ::posix_fadvise(::fileno(file), layout.offset + first * size, points * size, POSIX_FADV_WILLNEED);
  });
}

class RawSink final : public BlockSink {
 public:
  RawSink(MPI_Comm communicator, const std::string& path, const Box& domain, ElementType type)
      : parts_(communicator, path, domain, type),
        writer_(create_plain_blocks(communicator, path, domain, type,
                                    [](const UnfinishedFile&) -> std::int64_t { return 0; })) {}

  void write(const HostBlock& block) override { write_part(block, parts_.domain()); }
  void write_part(const HostBlock& block, const Box& part) override {
    parts_.take(block, part);
    collectively(parts_.communicator(), [&] { writer_->write(block); });
    if (parts_.complete()) writer_->complete();
  }

 private:
  Parts parts_;
  std::unique_ptr<BlockWriter> writer_;
};

void read_raw(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  inspect_raw(path, info.raw, info.type, info.domain);
  read_array(path, info.raw, info.domain, block);
}

std::unique_ptr<BlockSink> create_raw_file(MPI_Comm communicator, const std::string& path, const Box& domain,
                                           ElementType type, int) {
  return std::make_unique<RawSink>(communicator, path, domain, type);
}

}  // namespace

/// Reads and writes only the numbers, x fastest, then y, and so on; they are written in the byte order of
/// this machine.
extern const FormatFunctions raw_format = {.open = open_by_rank<read_raw>, .create = create_raw_file};

void read_array(const std::string& path, const RawLayout& layout, const Box& domain, const HostBlock& block) {
  const File file = open_for_reading(path);
  const auto size = static_cast<std::int64_t>(size_of(block.type));
  announce(file.get(), layout, domain, block);
  RunReader reader(path, file.get());
  for_each_run(block, domain, [&](std::int64_t first, std::int64_t points, std::byte* memory) {
    reader.add({layout.offset + first * size, points * size, memory});
  });
  reader.read_waiting();
  if (layout.is_big_endian == (std::endian::native == std::endian::big)) return;
  for_each_run(block, domain, [&](std::int64_t, std::int64_t points, std::byte* memory) {
    reverse_bytes(memory, points * size, block.type);
  });
}

void read_at(const std::string& path, std::int64_t place, const Box& domain, const HostBlock& block) {
  read_array(path, {place, std::endian::native == std::endian::big}, domain, block);
}

}  // namespace detail

ImageInfo inspect_raw(const std::string& path, const RawLayout& layout, ElementType type, const Box& domain) {
  detail::open_for_reading(path, detail::raw_kind);
  const std::int64_t bytes = domain.size() * static_cast<std::int64_t>(size_of(type));
  const std::int64_t there = std::max<std::int64_t>(detail::file_bytes(path) - layout.offset, 0);
  if (there != bytes)
    detail::fail(path,
                 fmt::format("is too {}: {} of {} take {} bytes from byte {} on, but there are {}",
                             there < bytes ? "short" : "long", to_string(domain), name_of(type), bytes,
                             layout.offset, there),
                 "give the shape, the type and the offset of what it holds");
  return {.format = ImageFormat::raw, .type = type, .domain = domain, .raw = layout};
}

std::unique_ptr<BlockWriter> create_raw_blocks(MPI_Comm communicator, const std::string& path,
                                               const Box& domain, ElementType type, const BegunFile& begun) {
  return detail::create_plain_blocks(
      communicator, path, domain, type,
      [&](const detail::UnfinishedFile& file) -> std::int64_t {
        detail::reserve(file, domain.size() * static_cast<std::int64_t>(size_of(type)));
        return 0;
      },
      begun);
}

}  // namespace tessera::io
