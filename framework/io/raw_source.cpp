// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io {
namespace detail {
namespace {

constexpr const char* raw_kind = "a file of raw data";

template <std::size_t Bytes>
void reverse_each(std::byte* data, std::int64_t elements) {
  for (std::int64_t i = 0; i < elements; ++i, data += Bytes) std::reverse(data, data + Bytes);
}

void reverse_bytes(std::byte* data, std::int64_t elements, ElementType type) {
  if (size_of(type) == 2) reverse_each<2>(data, elements);
  if (size_of(type) == 4) reverse_each<4>(data, elements);
  if (size_of(type) == 8) reverse_each<8>(data, elements);
}

/// Reads so many bytes from a place in a file; a call of the system may read fewer.
void read_bytes(const std::string& path, std::FILE* file, std::int64_t from, std::int64_t bytes,
                std::byte* to) {
  while (bytes > 0) {
    const ::ssize_t read = ::pread(::fileno(file), to, static_cast<std::size_t>(bytes), from);
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) fail(path, error_text(errno), "check the file's permissions");
    if (read == 0) fail(path, "became shorter while the program ran", "start again");
    from += read;
    to += read;
    bytes -= read;
  }
}

}  // namespace

void read_raw(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  inspect_raw(path, info.raw, info.type, info.domain);
  const File file = open_for_reading(path, raw_kind);
  const auto size = static_cast<std::int64_t>(size_of(info.type));
  const bool is_foreign = info.raw.is_big_endian != (std::endian::native == std::endian::big);
  for_each_run(block, info.domain, [&](std::int64_t first, std::int64_t points, std::byte* memory) {
    read_bytes(path, file.get(), info.raw.offset + first * size, points * size, memory);
    if (is_foreign) reverse_bytes(memory, points, info.type);
  });
}

}  // namespace detail

ImageInfo inspect_raw(const std::string& path, const RawLayout& layout, ElementType type, const Box& domain) {
  detail::open_for_reading(path, detail::raw_kind);
  std::error_code error;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  if (error) detail::fail(path, error.message(), "check the path and its permissions");
  const std::int64_t bytes = domain.size() * static_cast<std::int64_t>(size_of(type));
  const std::int64_t there = std::max<std::int64_t>(size - layout.offset, 0);
  if (there != bytes)
    detail::fail(path,
                 fmt::format("is too {}: {} of {} take {} bytes from byte {} on, but there are {}",
                             there < bytes ? "short" : "long", to_string(domain), name_of(type), bytes,
                             layout.offset, there),
                 "give the shape, the type and the offset of what it holds");
  return {.format = ImageFormat::raw, .type = type, .domain = domain, .raw = layout};
}

}  // namespace tessera::io
