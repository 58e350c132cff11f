// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/resource.h>

#include <string>

#include "program_runs.hpp"

namespace tessera::app_test {

/// A small file system in memory, mounted at a path while this lives; only this process and its children see
/// it.
class SmallDisk {
 public:
  SmallDisk(const std::string& path, int kibibytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// Whether this process may mount one: as root mostly, as others where there are user namespaces.
  static bool is_allowed();

 private:
  std::string path_;
};

/// While this lives, no file that this process' children write may be larger.
class SizeLimit {
 public:
  explicit SizeLimit(int mebibytes);
  ~SizeLimit();
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace tessera::app_test
