// SPDX-License-Identifier: BSD-3-Clause
// The reader of decks turns any bytes into a deck, or into an InputError.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "deck/sample_schema.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/detail/yaml_reader.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"

namespace {

using namespace tessera::deck;

/// Up to the first NUL byte a deck, then overrides, ended by NUL bytes.
void load_and_print(std::string_view bytes) {
  static const Schema schema = tessera::deck::sample_schema();
  static const Environment environment = {{"A", "/a"}, {"EMPTY", ""}, {"NESTED", "${A}"}};
  const auto next = [&bytes] {
    const std::string text(bytes.substr(0, bytes.find('\0')));
    bytes.remove_prefix(std::min(bytes.size(), text.size() + 1));
    return text;
  };
  const Source source{"d.yaml", next()};
  static_cast<void>(detail::included(detail::read_yaml(source.text, {source.name})));
  std::vector<std::string> overrides;
  while (!bytes.empty()) overrides.push_back(next());
  const Deck deck = load(schema, {source}, overrides, environment);
  if (!(load(schema, {{"printed.yaml", print(deck)}}) == deck)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    load_and_print({reinterpret_cast<const char*>(data), size});
  } catch (const tessera::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
