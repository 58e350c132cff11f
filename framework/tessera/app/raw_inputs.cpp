// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/raw_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (int i = 0; i < element_type_count; ++i) names.emplace_back(name_of(static_cast<ElementType>(i)));
  return names;
}

ElementType type_named(const std::string& name) {
  const std::vector<std::string> names = type_names();
  return static_cast<ElementType>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Returns the domain of the array whose extents are the value of `key`. The deck lists the extents from the
/// slowest dimension in memory to the fastest one, and the domain has them in reverse order.
Box domain_of(const deck::Deck& deck, const std::string& key) {
  const auto& entries = deck.get<deck::GridValue>(key).entries;
  const bool is_known =
      std::all_of(entries.begin(), entries.end(), [](const auto& e) { return e.has_value(); });
  if (entries.size() < 2 || !is_known)
    deck.fail(key, "write [rows, columns] or [channels, rows, columns] in numbers");
  Box domain;
  double bytes = 16;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    domain.range[domain.dimensions++] = {0, **entry};
    bytes *= static_cast<double>(**entry);
  }
  if (bytes > 0x1p62) deck.fail(key, "no file is so large: write what it holds");
  return domain;
}

}  // namespace

std::vector<deck::KeyDeclaration> raw_keys(const std::string& image) {
  const std::string group = "Files";
  return {{.name = image + ".raw.shape",
           .type = deck::ValueType::grid,
           .group = group,
           .help = "The file has no header but holds [rows, columns] or [channels, rows, columns], or an "
                   "array of four dimensions, slowest first",
           .max_entries = 4},
          {.name = image + ".raw.type",
           .type = deck::ValueType::choice,
           .group = group,
           .help = "The type of its numbers",
           .choices = type_names()},
          {.name = image + ".raw.order",
           .type = deck::ValueType::choice,
           .group = group,
           .help = "The order of their bytes; without it, little",
           .choices = {"little", "big"}},
          {.name = image + ".raw.offset",
           .type = deck::ValueType::integer,
           .group = group,
           .help = "The bytes before the first; without it, 0",
           .minimum = 0}};
}

std::optional<RawInput> raw_input(const deck::Deck& deck, const std::string& image) {
  const std::string shape = image + ".raw.shape", type = image + ".raw.type", order = image + ".raw.order",
                    offset = image + ".raw.offset", dataset = image + ".dataset";
  if (!deck.is_set(shape)) {
    for (const std::string& key : {type, order, offset})
      if (deck.is_set(key)) deck.fail(key, fmt::format("'{}' is not given: give it, too", shape));
    return std::nullopt;
  }
  if (!deck.is_set(type)) deck.fail(shape, fmt::format("'{}' is not given: give it, too", type));
  if (deck.is_set(dataset)) deck.fail(dataset, "a file without a header has no data sets: leave it out");
  RawInput raw;
  raw.domain = domain_of(deck, shape);
  raw.type = type_named(deck.get<std::string>(type));
  raw.layout.is_big_endian = deck.text_of(order) == "big";
  if (deck.is_set(offset)) raw.layout.offset = deck.get<std::int64_t>(offset);
  return raw;
}

io::ImageInfo inspect_input(MPI_Comm communicator, const deck::Deck& deck, const std::string& image,
                            const io::ImageChoice& choice) {
  return inspect_input(communicator, deck, image, deck.get<std::string>(image + ".file"), choice);
}

io::ImageInfo inspect_input(MPI_Comm communicator, const deck::Deck& deck, const std::string& image,
                            const std::string& path, const io::ImageChoice& choice) {
  const std::optional<RawInput> raw = raw_input(deck, image);
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  io::ImageInfo info;
  collectively(communicator, [&] {
    if (rank != 0) return;
    info = raw ? io::inspect_raw(path, raw->layout, raw->type, raw->domain) : io::inspect_image(path, choice);
  });
  return io::broadcast(communicator, info);
}

}  // namespace tessera::app
