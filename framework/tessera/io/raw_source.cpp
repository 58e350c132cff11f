// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/raw_array.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io {
namespace detail {
namespace {

constexpr const char* raw_kind = "a file of raw data";

}  // namespace

void read_raw(const std::string& path, const ImageInfo& info, const HostBlock& block) {
  inspect_raw(path, info.raw, info.type, info.domain);
  read_array(path, open_for_reading(path, raw_kind).get(), info.raw, info.domain, block);
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
