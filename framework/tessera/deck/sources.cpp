// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "tessera/deck/detail/text.hpp"
#include "tessera/deck/detail/yaml_reader.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::deck {
namespace {

/// Reads a deck and all decks that it includes, directly or through other decks.
class IncludeReader {
 public:
  void add(const Source& source) {
    open_.push_back(identity(source.name));
    for (const Tree& entry : detail::included(detail::read_yaml(source.text, {source.name})))
      include(source.name, entry);
    open_.pop_back();
    sources_.push_back(source);
  }
  std::vector<Source> take() { return std::move(sources_); }

 private:
  /// Returns a path that is the same for all paths of one file.
  static std::string identity(const std::string& path) {
    std::error_code error;
    const std::string name = std::filesystem::weakly_canonical(path, error).string();
    return error ? path : name;
  }

  void include(const std::string& by, const Tree& entry) {
    constexpr std::size_t most_decks = 64;
    Source source;
    try {
      const std::string name = expand(entry.text, environment_of(entry.text));
      const std::string path = (std::filesystem::path(by).parent_path() / name).string();
      if (detail::contains(open_, identity(path)))
        throw InputError(fmt::format("'{}' would include itself", detail::printable(path)));
      if (sources_.size() + open_.size() >= most_decks)
        throw InputError(fmt::format("more than {} decks", most_decks));
      source = read_source(path);
    } catch (const InputError& error) {
      fail(entry, fmt::format("'include': {}", error.what()));
    }
    add(source);
  }

  /// The decks that are being read. Each of them is included by the deck before it.
  std::vector<std::string> open_;
  std::vector<Source> sources_;
};

}  // namespace

Source read_source(const std::string& named, std::string_view what) {
  // The operating system would end the name at a NUL byte.
  if (named.find('\0') != std::string::npos) detail::fail_at(detail::printable(named), "not a file name");
  const std::string path = deck_path(named);
  const std::string name = detail::printable(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    detail::fail_at(name, fmt::format("a directory, not a {}", what));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) detail::fail_at(name, fmt::format("cannot open the {}: {}", what, std::strerror(errno)));
  // One byte more than allowed is read, so that a file that is too large is noticed.
  Source source{path, std::string(detail::largest_deck + 1, '\0')};
  file.read(source.text.data(), static_cast<std::streamsize>(source.text.size()));
  if (file.bad()) detail::fail_at(name, fmt::format("cannot read the {}", what));
  source.text.resize(static_cast<std::size_t>(file.gcount()));
  detail::check_size(source.text, source.name);
  return source;
}

std::vector<Source> read_sources(const std::string& path) {
  IncludeReader reader;
  reader.add(read_source(path));
  return reader.take();
}

std::string shipped_decks() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const std::filesystem::path folder = program.parent_path().parent_path() / "share" / "tessera" / "inputs";
  return std::filesystem::is_directory(folder, error) ? folder.string() : std::string();
}

std::string deck_path(const std::string& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::path(path).is_absolute() || std::filesystem::exists(path, error))
    return path;
  const std::string folder = shipped_decks();
  if (folder.empty()) return path;
  const std::string shipped = (std::filesystem::path(folder).parent_path() / path).string();
  return std::filesystem::is_regular_file(shipped, error) ? shipped : path;
}

}  // namespace tessera::deck
