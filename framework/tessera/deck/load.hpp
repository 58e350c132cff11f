// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/deck/environment.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::deck {

/// A deck as text, with the name that messages call it by.
struct Source {
  std::string name;
  std::string text;
};

/// Reads a deck file of at most 1 MiB. InputError if it cannot.
Source read_source(const std::string& path);

/// Reads a deck file, and before it those that it includes: `include: base.yaml`, or a list of them, relative
/// to its folder and with `${NAME}` for environment variables. That is the order in which `load` takes them:
/// what a deck says wins over what it includes. InputError if one cannot be read, includes itself, or if they
/// are more than 64.
std::vector<Source> read_sources(const std::string& path);

/// Values from the defaults, then from the decks, then from the `key=value` overrides (the value is YAML, the
/// key dotted); later wins. Where a placeholder's names stand (`schedule.<stage>`), a deck may say a pattern
/// (`gauss[3-9]`, `out*`): it applies to those of the matching names that have the key and allow the choice,
/// and must apply to one. Paths may name variables of `environment`, `${NAME}`. Everything is checked; what
/// is wrong throws InputError, "file:line:column: message".
Deck load(const Schema& schema, const std::vector<Source>& decks,
          const std::vector<std::string>& overrides = {}, const Environment& environment = {});

}  // namespace tessera::deck
