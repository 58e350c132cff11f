// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/deck/deck.hpp"

namespace tessera::app {

/// Returns whether `a` comes before `b` in natural order: runs of digits are compared as numbers, and all
/// else byte by byte, so that "f2" comes before "f10". Texts that are equal in this sense are ordered by
/// their bytes.
bool is_before(std::string_view a, std::string_view b);

/// Returns the files that `entries` name, which are from the key `key` of a deck: an entry is a file, or a
/// pattern such as frames/*.png, whose files come in natural order. Only the last part of a path may be a
/// pattern. Throws InputError about the key when a file or folder is missing, or when a pattern is faulty or
/// matches nothing. Looks at the file system, so that one rank should call it.
std::vector<std::string> matching_files(const deck::Deck& deck, const std::string& key,
                                        const std::vector<std::string>& entries);

/// A pattern of names of files whose fields stand in braces, such as `{name}.tif` or `r{row:3}_c{col:3}.tif`.
/// The number after a colon is the least number of digits: shorter values get zeros in front.
class NamePattern {
 public:
  /// Makes a pattern without parts.
  NamePattern() = default;
  /// Makes a pattern whose fields may have the names `fields`. Throws InputError, which names no key, when
  /// the pattern is malformed or has another field.
  NamePattern(const std::string& text, std::span<const std::string_view> fields);
  /// Makes the pattern that is the value of the key `key`. Throws the same errors about the key.
  NamePattern(const deck::Deck& deck, const std::string& key, std::span<const std::string_view> fields);

  /// Returns how many times the pattern has a field. Fields are numbered in the order of their names.
  std::ptrdiff_t count(int field) const;
  /// Returns the name with these values in the place of the fields, in the order of the fields.
  std::string name(const std::vector<std::string>& values) const;
  /// Returns the numbers that a name has in the place of the fields, in the order of the fields; 0 for fields
  /// that the pattern lacks. Returns nothing when the name does not fit the pattern. A number with more
  /// digits than the least number of them must not begin with 0. A number has exactly the least number of
  /// digits if the pattern goes on with a digit or a field.
  std::optional<std::vector<std::int64_t>> match(std::string_view name) const;
  /// Lists the members, so that graph::Transfer can send patterns.
  static auto members(auto& pattern) { return std::tie(pattern.parts_, pattern.fields_); }

 private:
  struct Part {
    std::string text;
    int field = -1;
    std::size_t digits = 0;
    static auto members(auto& part) { return std::tie(part.text, part.field, part.digits); }
  };
  static Part field_in(const std::string& braced, std::span<const std::string_view> fields);

  std::vector<Part> parts_;
  std::size_t fields_ = 0;
};

/// Returns the pattern of results that is the value of the key `key`, with all fields replaced: {name} by the
/// name of the file `input` without its folder and ending, and {index} by `index`, with as many digits as the
/// last one of `count` indices has. Throws InputError about the key when the pattern is malformed.
std::string expanded(const deck::Deck& deck, const std::string& key, const std::string& input,
                     std::int64_t index, std::int64_t count);

/// Returns `path` with symbolic links and relative parts resolved, so that different paths of the same file
/// become equal.
std::filesystem::path place_of(const std::string& path);

/// A file, together with the deck key or the command-line option that names the file.
struct NamedFile {
  /// The key or option that names the file.
  std::string key;
  /// The path of the file.
  std::string path;
};

/// Checks the names of `files`, which a run is to write. Each element of `files` is a pair: the option or key
/// that names a file, and the path of the file. Elements with an empty path are skipped. `taken` holds the
/// paths of files that the run uses already. Throws InputError when an element of `files` is the same file as
/// one of `taken` or as another element of `files`.
void check_names(const std::vector<std::string>& taken,
                 const std::vector<std::pair<std::string, std::string>>& files);

/// A file that a run is going to write.
struct ExpectedFile {
  /// The key of the deck that names the file.
  std::string key;
  /// The bytes that the file takes. 0 means that they are not known.
  std::int64_t bytes = 0;
};

/// Throws InputError if one of `files` has no folder. Not collective.
void check_folders(const deck::Deck& deck, const std::vector<ExpectedFile>& files);

/// Throws InputError if a file system has no room for all those of `files` that lie on it. Files without a
/// folder, and files of unknown size, are skipped. Not collective.
void check_room(const deck::Deck& deck, const std::vector<ExpectedFile>& files);

}  // namespace tessera::app
