// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tessera/deck/detail/includes.hpp"
#include "tessera/deck/detail/text.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::deck {
namespace {

/// Reads a deck and all decks that it includes, directly or through other decks.
class IncludeReader {
 public:
  void add(const Source& source) {
    const detail::Origin origin{source.name};
    open_.push_back(identity(source.name));
    for (const detail::Node& entry : detail::included(detail::read_yaml(source.text, origin), origin))
      include(source.name, entry.text, detail::location(origin, entry));
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

  void include(const std::string& by, const std::string& text, const std::string& where) {
    constexpr std::size_t most_decks = 64;
    const auto fail = [&](const std::string& message) { detail::fail_at(where, "'include': " + message); };
    const ExpandedText name = expand(text, environment_of(text));
    if (!name.fault.empty()) fail(name.fault);
    const std::string path = (std::filesystem::path(by).parent_path() / name.text).string();
    if (std::ranges::find(open_, identity(path)) != open_.end())
      fail(fmt::format("'{}' would include itself", detail::printable(path)));
    if (sources_.size() + open_.size() >= most_decks) fail(fmt::format("more than {} decks", most_decks));
    Source source;
    try {
      source = read_source(path);
    } catch (const InputError& error) {
      fail(error.what());
    }
    add(source);
  }

  /// The decks that are being read. Each of them is included by the deck before it.
  std::vector<std::string> open_;
  std::vector<Source> sources_;
};

}  // namespace

std::vector<Source> read_sources(const std::string& path) {
  IncludeReader reader;
  reader.add(read_source(path));
  return reader.take();
}

}  // namespace tessera::deck
