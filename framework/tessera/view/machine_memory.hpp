// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// Returns the bytes of memory that the processes of this process' control groups may use together: those of
/// the machine node, or the least limit of these groups if it is less. Containers and batch systems set such
/// limits (cgroup v2 memory.max, or memory.limit_in_bytes of cgroup v1). `root` is the folder that has `proc`
/// and `sys`.
std::int64_t machine_memory(const std::string& root = "/");

}  // namespace tessera
