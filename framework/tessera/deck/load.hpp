// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/deck/environment.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::deck {

/// A deck as text.
struct Source {
  /// The name by which messages call the deck: its path.
  std::string name;
  /// The text, in YAML.
  std::string text;
};

/// Reads a deck file of at most 1 MiB. Throws InputError when it cannot. Not collective.
Source read_source(const std::string& path);

/// Reads a deck file, and before it the decks that it includes: `include: base.yaml`, or a list of them,
/// relative to its folder and with `${NAME}` for environment variables. The result is in the order in which
/// `load` takes decks: the values of a deck win over those that it includes. Throws InputError when one
/// cannot be read or includes itself, or when there are more than 64. Not collective.
std::vector<Source> read_sources(const std::string& path);

/// Takes values from the defaults, then from the decks, then from the `key=value` overrides, whose values are
/// YAML and whose keys are dotted; later values win. In the place of a placeholder's name
/// (`schedule.<stage>`) a deck may have a pattern (`gauss[3-9]`, `out*`). It applies to those matching names
/// that have the key and allow the choice, and must apply to at least one. Paths may name variables of
/// `environment` as `${NAME}`. Everything is checked, and a fault throws InputError, "file:line:column:
/// message". Not collective.
Deck load(const Schema& schema, const std::vector<Source>& decks,
          const std::vector<std::string>& overrides = {}, const Environment& environment = {});

}  // namespace tessera::deck
