// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/checkpoint_seal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <sstream>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/text_file.hpp"

namespace tessera::io::detail {
namespace {

/// Returns a number whose bits depend on all bits of `bits`. Different arguments have different results.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
  bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
  return bits ^ (bits >> 32);
}

template <class Bits>
std::uint64_t digest_of_run(std::int64_t first, std::int64_t points, const std::byte* memory) {
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;  // odd, so that places have different multiples
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < points; ++i) {
    Bits bits;
    std::memcpy(&bits, memory + i * static_cast<std::int64_t>(sizeof bits), sizeof bits);
    sum += mixed(static_cast<std::uint64_t>(first + i + 1) * step + bits);
  }
  return sum;
}

constexpr const char* first_line = "tessera checkpoint 1";
constexpr std::int64_t buffer_bytes = std::int64_t{8} << 20;

struct Seal {
  std::int64_t size = 0;
  std::uint64_t rest = 0;
  std::vector<SealedArray> arrays;
};

/// Reads the bytes of the file from `begin` to `end` in pieces, the first as large as possible, and calls
/// use(memory, bytes, place) for each of them. `place` is the offset of the piece in the file.
template <class Use>
void read_range(std::FILE* file, const std::string& path, std::int64_t begin, std::int64_t end,
                const Use& use) {
  if (begin >= end) return;
  std::vector<std::byte> memory(static_cast<std::size_t>(std::min(end - begin, buffer_bytes)));
  if (::fseeko(file, begin, SEEK_SET) != 0)
    fail(path, fmt::format("cannot be read ({})", error_text(errno)), "check the disk");
  while (begin < end) {
    const auto bytes = std::min(end - begin, static_cast<std::int64_t>(memory.size()));
    if (std::fread(memory.data(), 1, static_cast<std::size_t>(bytes), file) !=
        static_cast<std::size_t>(bytes))
      fail_as_damaged(path, "it is shorter than it was");
    use(memory.data(), bytes, begin);
    begin += bytes;
  }
}

/// Returns the digest of all bytes behind the seal that belong to no array.
std::uint64_t digest_of_rest(std::FILE* file, const std::string& path, std::int64_t size,
                             std::vector<SealedArray> arrays) {
  std::ranges::sort(arrays, {}, &SealedArray::offset);
  arrays.push_back({size, 0, 1, 0});
  std::uint64_t sum = 0;
  std::int64_t begin = seal_bytes;
  for (const SealedArray& array : arrays) {
    read_range(file, path, begin, array.offset,
               [&](const std::byte* memory, std::int64_t bytes, std::int64_t place) {
                 sum += digest(memory, 1, place, bytes);
               });
    begin = array.offset + array.bytes();
  }
  return sum;
}

std::string text_of(const Seal& seal) {
  std::string text = fmt::format("{}\nsize {}\nrest {:x}\n", first_line, seal.size, seal.rest);
  for (const SealedArray& array : seal.arrays)
    fmt::format_to(std::back_inserter(text), "array {} {} {} {:x}\n", array.offset, array.points,
                   array.element_bytes, array.digest);
  return fmt::format("{}digest {:x}\n", text, text_digest(text));
}

Seal seal_in(const std::string& text) {
  Seal seal;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "size") words >> seal.size;
    if (kind == "rest") words >> std::hex >> seal.rest;
    if (kind != "array") continue;
    SealedArray& array = seal.arrays.emplace_back();
    words >> array.offset >> array.points >> array.element_bytes >> std::hex >> array.digest;
  }
  return seal;
}

Seal read_checked(std::FILE* file, const std::string& path) {
  std::string text;
  const std::int64_t there = file_bytes(path);
  read_range(file, path, 0, std::min(there, seal_bytes),
             [&](const std::byte* memory, std::int64_t bytes, std::int64_t) {
               text.assign(reinterpret_cast<const char*>(memory), static_cast<std::size_t>(bytes));
             });
  if (!text.starts_with(first_line))
    fail(path, "is no checkpoint, or a damaged one", "restart from another one");
  const Seal seal = seal_in(text);
  std::string expected = text_of(seal);
  expected.resize(static_cast<std::size_t>(seal_bytes));
  if (text != expected) fail_as_damaged(path, "its beginning is not what was written");
  if (there != seal.size)
    fail_as_damaged(path, fmt::format("it has {} bytes, {} were written", there, seal.size));
  return seal;
}

File open_checkpoint(const std::string& path) { return open_for_reading(path, "a checkpoint"); }

}  // namespace

std::uint64_t digest(const std::byte* memory, std::size_t element_bytes, std::int64_t first,
                     std::int64_t points) {
  switch (element_bytes) {
    case 1:
      return digest_of_run<std::uint8_t>(first, points, memory);
    case 2:
      return digest_of_run<std::uint16_t>(first, points, memory);
    case 4:
      return digest_of_run<std::uint32_t>(first, points, memory);
    case 8:
      return digest_of_run<std::uint64_t>(first, points, memory);
    default:
      throw InternalError("elements have 1, 2, 4 or 8 bytes");
  }
}

std::uint64_t digest(const HostBlock& block, const Box& domain) {
  std::uint64_t sum = 0;
  for_each_run(block, domain, [&](std::int64_t first, std::int64_t points, const std::byte* memory) {
    sum += digest(memory, size_of(block.type), first, points);
  });
  return sum;
}

void fail_as_damaged(const std::string& path, const std::string& problem) {
  fail(path, fmt::format("damaged checkpoint ({})", problem), "restart from another one");
}

void write_seal(const UnfinishedFile& output, const std::vector<SealedArray>& arrays) {
  const std::string &name = output.temporary_path(), &path = output.path();
  const File file(std::fopen(name.c_str(), "r+b"));
  if (!file) fail_to_write(path, error_text(errno));
  const std::int64_t size = file_bytes(name);
  std::string text = text_of({size, digest_of_rest(file.get(), path, size, arrays), arrays});
  if (text.size() > seal_bytes) throw InternalError(fmt::format("{}: too many arrays to seal", path));
  text.resize(static_cast<std::size_t>(seal_bytes));
  std::rewind(file.get());
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
    fail_to_write(path, error_text(errno));
}

std::vector<SealedArray> read_seal(const std::string& path, bool checks_rest) {
  const File file = open_checkpoint(path);
  const Seal seal = read_checked(file.get(), path);
  if (checks_rest && digest_of_rest(file.get(), path, seal.size, seal.arrays) != seal.rest)
    fail_as_damaged(path, "its notes are not those that were written");
  return seal.arrays;
}

std::uint64_t digest_in_file(const std::string& path, const SealedArray& array, std::int64_t first,
                             std::int64_t points) {
  const File file = open_checkpoint(path);
  std::uint64_t sum = 0;
  read_range(file.get(), path, array.offset + first * array.element_bytes,
             array.offset + (first + points) * array.element_bytes,
             [&](const std::byte* memory, std::int64_t bytes, std::int64_t place) {
               sum += digest(memory, static_cast<std::size_t>(array.element_bytes),
                             (place - array.offset) / array.element_bytes, bytes / array.element_bytes);
             });
  return sum;
}

}  // namespace tessera::io::detail

namespace tessera::io {

std::uint64_t text_digest(std::string_view text) {
  return detail::digest(reinterpret_cast<const std::byte*>(text.data()), 1, 0,
                        static_cast<std::int64_t>(text.size())) +
         text.size();
}

}  // namespace tessera::io
