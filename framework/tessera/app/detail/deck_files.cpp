// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/deck_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/io/image_info.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Returns the name of the key that names the image of a program, or an empty text if it reads none.
std::string image_key(const deck::Schema& schema) {
  const auto& all = schema.declarations();
  const auto found = std::ranges::find_if(all, [](const deck::KeyDeclaration& key) {
    return key.required && key.type == deck::ValueType::path && key.name.starts_with("input.");
  });
  return found == all.end() ? std::string() : found->name;
}

void check_no_images(const deck::Schema& schema, const std::vector<std::string>& paths) {
  const std::string image = image_key(schema);
  for (const std::string& path : paths)
    if (has_image_ending(path) || io::image_format(path))
      throw InputError(fmt::format("command line: '{}': an image is no deck: {}", path,
                                   image.empty() ? "leave it out, as this program reads no image"
                                                 : fmt::format("write {}={}", image, path)));
}

DeckFiles read_all(const std::vector<std::string>& paths, const std::vector<std::string>& overrides) {
  DeckFiles files;
  for (const std::string& path : paths)
    for (deck::Source& source : deck::read_sources(path)) files.sources.push_back(std::move(source));
  for (const deck::Source& source : files.sources) files.environment.merge(deck::environment_of(source.text));
  for (const std::string& argument : overrides) files.environment.merge(deck::environment_of(argument));
  return files;
}

}  // namespace

DeckFiles read_decks(MPI_Comm communicator, const deck::Schema& schema, const std::vector<std::string>& paths,
                     const std::vector<std::string>& overrides) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  DeckFiles files;
  collectively(communicator, [&] {
    if (rank != 0) return;
    check_no_images(schema, paths);
    files = read_all(paths, overrides);
  });
  std::vector<std::string> decks, variables;
  for (const auto& [name, text] : files.sources) decks.insert(decks.end(), {name, text});
  for (const auto& [name, value] : files.environment) variables.insert(variables.end(), {name, value});
  broadcast(communicator, decks);
  broadcast(communicator, variables);
  files = {};
  for (std::size_t i = 0; i < decks.size(); i += 2) files.sources.push_back({decks[i], decks[i + 1]});
  for (std::size_t i = 0; i < variables.size(); i += 2)
    files.environment.emplace(variables[i], variables[i + 1]);
  return files;
}

}  // namespace tessera::app
