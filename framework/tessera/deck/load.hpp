// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/deck/environment.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::deck {

/// A deck as text.
struct Source {
  /// The name of the deck in messages, which is its path.
  std::string name;
  /// The text, in YAML.
  std::string text;

  /// Lists the members, so that graph::Transfer can send decks.
  static auto members(auto& source) { return std::tie(source.name, source.text); }
};

/// Reads a deck file of at most 1 MiB. A deck that was installed with Tessera is found from every folder, see
/// `deck_path`; the name of the result is then its whole path. Throws InputError when the file cannot be read
/// or is larger, and calls it a `what`. Not collective.
Source read_source(const std::string& path, std::string_view what = "deck");

/// Reads a deck file and the decks that it includes. A deck includes others by the key `include`, whose value
/// is one path or a list of paths, such as `include: base.yaml`. Each path is relative to the folder of the
/// deck that has the key, and may name environment variables as `${NAME}`. The result has the order that
/// `load` expects: included decks come before the deck that includes them, so that the values of the
/// including deck win. Throws InputError when a deck cannot be read, when a deck includes itself, directly or
/// by way of other decks, or when there are more than 64 decks. Not collective.
std::vector<Source> read_sources(const std::string& path);

/// The texts that make a deck.
struct Given {
  /// The decks.
  std::vector<Source> decks;
  /// The keys of the command line.
  std::vector<std::string> overrides = {};
  /// The environment variables that these name.
  Environment environment = {};
};

/// Makes a deck from the defaults of the schema, from `decks` and from `overrides`, in this order; later
/// values win. An override is a text `key=value`, where the key is a full name with dots and the value is
/// YAML.
///
/// In place of a name that a placeholder such as `<stage>` stands for, decks and overrides may have a
/// pattern, such as `gauss[3-9]` or `out*`. The value then applies to each matching name that has the
/// key. If the key is a choice, it applies only to names that have the value among their choices. A
/// value that applies to no name is a fault.
///
/// Values of the type path may name variables of `environment` as `${NAME}`. All keys and values are checked.
/// A fault throws InputError with a text such as "file:line:column: message". Not collective.
Deck load(const Schema& schema, const std::vector<Source>& decks,
          const std::vector<std::string>& overrides = {}, const Environment& environment = {});

/// Makes a deck anew, by a schema that has the names that followed (see Schema::names_follow), and more keys
/// than the schema of `deck`. The keys that `deck` has already keep their values. Throws InputError as `load`
/// does. Not collective.
Deck load_again(const Deck& deck, const Schema& schema);

/// Makes a deck as `load` does, but only of the keys that `schema` has. Other keys of the decks and overrides
/// are left out, and may have any names and values. This is for programs whose other keys depend on these.
Deck load_declared(const Schema& schema, const std::vector<Source>& decks,
                   const std::vector<std::string>& overrides = {}, const Environment& environment = {});

/// Returns the folder of the decks that are installed with the running program, which is
/// `<folder of the program>/../share/tessera/inputs`. A build has the same folder. Returns an empty text if
/// there is no such folder, which is so for programs of other projects. Not collective.
std::string shipped_decks();

/// Returns the path of a deck. That is `path` itself if there is such a file, or if no deck of this name was
/// installed. Otherwise it is the path of the installed deck: `inputs/blur/default.yaml` is found from every
/// folder. Not collective.
std::string deck_path(const std::string& path);

}  // namespace tessera::deck
