// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/shipped_decks.hpp"

#include <filesystem>
#include <system_error>

namespace tessera::deck {

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
