// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/machine_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tessera {
namespace {

using Path = std::filesystem::path;

/// Returns the number in a file, or `otherwise` if there is none, as where the limit is "max".
std::int64_t number_in(const Path& file, std::int64_t otherwise) {
  std::int64_t number = 0;
  return std::ifstream(file) >> number ? number : otherwise;
}

/// Returns the least limit of a group and the groups that contain it. In a container, the folder of its own
/// group may be missing, and its limits are those of the topmost folder.
std::int64_t least_limit(const Path& top, Path group, const char* name, std::int64_t bytes) {
  for (group = group.relative_path();; group = group.parent_path()) {
    bytes = std::min(bytes, number_in(top / group / name, bytes));
    if (group.empty()) return bytes;
  }
}

}  // namespace

std::int64_t machine_memory(const std::string& root) {
  std::int64_t bytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  const Path groups = Path(root) / "sys/fs/cgroup";
  std::ifstream own(Path(root) / "proc/self/cgroup");
  // Each line is a number, controllers and the group, separated by colons. Version 2 has no controllers.
  for (std::string line; std::getline(own, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1),
                      group = line.substr(second + 1);
    if (controllers.empty()) bytes = least_limit(groups, group, "memory.max", bytes);
    if (("," + controllers + ",").find(",memory,") != std::string::npos)
      bytes = least_limit(groups / "memory", group, "memory.limit_in_bytes", bytes);
  }
  return bytes;
}

}  // namespace tessera
