// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/room.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "tessera/domain/human_bytes.hpp"

namespace tessera::app {
namespace {

std::filesystem::path folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

}  // namespace

void check_folders(const deck::Deck& deck, const std::vector<ExpectedFile>& files) {
  for (const ExpectedFile& file : files) {
    const std::filesystem::path folder = folder_of(deck.text_of(file.key));
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) continue;
    deck.fail(file.key, fmt::format("there is no folder {}: create it, or write elsewhere", folder.string()));
  }
}

void check_room(const deck::Deck& deck, const std::vector<ExpectedFile>& files) {
  struct Disk {
    std::int64_t needed = 0;
    std::vector<std::string> paths;
  };
  std::map<dev_t, Disk> disks;
  for (const ExpectedFile& file : files) {
    const std::string path = deck.text_of(file.key);
    struct stat status {};
    if (file.bytes == 0 || ::stat(folder_of(path).c_str(), &status) != 0) continue;
    Disk& disk = disks[status.st_dev];
    disk.paths.push_back(path);
    disk.needed += file.bytes;
    std::error_code error;
    const auto space = std::filesystem::space(folder_of(path), error);
    if (!error && space.available < static_cast<std::uintmax_t>(disk.needed))
      deck.fail(file.key,
                fmt::format("{}: this needs some {}, but there is room for {}: make room, or write elsewhere",
                            fmt::join(disk.paths, " and "), human_bytes(disk.needed),
                            human_bytes(static_cast<std::int64_t>(space.available))));
  }
}

}  // namespace tessera::app
