// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "sample_schema.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::deck {

/// Loads a deck named `d.yaml` under the sample schema.
inline Deck load_sample(const std::string& text, const std::vector<std::string>& overrides = {}) {
  static const Schema schema = sample_schema();
  return load(schema, {{"d.yaml", text}}, overrides);
}

/// The message of the InputError that `action` throws, or "no error".
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// The message that loading the deck throws.
inline std::string load_error(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return error_of([&] { load_sample(text, overrides); });
}

/// A deck with all that is required, on one line: what follows it starts at line 2.
inline const std::string minimal = "input: {file: a.png}\n";

}  // namespace tessera::deck
