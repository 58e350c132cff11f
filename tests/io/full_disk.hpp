// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

#include <sys/resource.h>

namespace tessera::io_test {

/// Until it ends, this rank's files cannot grow beyond a size, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    std::signal(SIGXFSZ, handler_);
    ::setrlimit(RLIMIT_FSIZE, &before_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace tessera::io_test
