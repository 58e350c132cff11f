// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace tessera::app {

Progress::Progress(int rank, bool quiet)
    : shown_(rank == 0 && !quiet), terminal_(isatty(STDOUT_FILENO) != 0) {}

Progress::~Progress() { clear(); }

void Progress::step(int index, int count, const std::string& what) {
  if (!shown_) return;
  if (terminal_) {
    clear();
    fmt::print("[{}/{}] {}", index, count, what);
    pending_ = true;
  } else {
    fmt::print("[{}/{}] {}\n", index, count, what);
  }
  std::fflush(stdout);
}

void Progress::line(const std::string& text) {
  if (!shown_) return;
  clear();
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

void Progress::clear() {
  if (!pending_) return;
  fmt::print("\r\033[K");
  std::fflush(stdout);
  pending_ = false;
}

}  // namespace tessera::app
