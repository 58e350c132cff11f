// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/built_formats.hpp"

#include <fmt/format.h>

#include "tessera/io/detail/files.hpp"

namespace tessera::io::detail {
namespace {

[[noreturn]] void fail_without(const std::string& path, const std::string& format, const char* way_out) {
  fail(path, fmt::format("this Tessera was built without {}", format),
       fmt::format("configure it with -DTESSERA_{}=ON, or {}", format, way_out));
}

}  // namespace

void fail_to_read_without(const std::string& path, const std::string& format) {
  fail_without(path, format, "convert the file");
}

void fail_to_write_without(const std::string& path, const std::string& format) {
  fail_without(path, format, "write another format");
}

}  // namespace tessera::io::detail
