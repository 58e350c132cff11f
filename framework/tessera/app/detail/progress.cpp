// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace tessera::app {

Progress::Progress(int rank, bool quiet)
    : shown_(rank == 0 && !quiet), terminal_(isatty(STDOUT_FILENO) != 0) {}

Progress::~Progress() { clear(); }

void Progress::step(int index, int count, const std::string& what) {
  if (shown_) show(fmt::format("[{}/{}] {}", index, count, what));
}

void Progress::band(const Band& band, int passes) {
  if (shown_)
    show(fmt::format("band {} of {}{}", band.index + 1, band.count,
                     passes > 1 ? fmt::format(", pass {} of {}", band.pass + 1, passes) : ""));
}

void Progress::turn(const std::function<std::string()>& text) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now - last_turn_ < (terminal_ ? 200ms : 10000ms)) return;
  last_turn_ = now;
  show(text());
}

void Progress::show(const std::string& text) {
  clear();
  fmt::print("{}{}", text, terminal_ ? "" : "\n");
  pending_ = terminal_;
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

const char* name_of(Phase phase) {
  constexpr std::array names = {"start", "open", "plan", "allocate", "finish"};
  static_assert(names.size() == all_phases.size());
  return names[static_cast<std::size_t>(phase)];
}

void RunPhases::begin(Phase phase) {
  const Clock::time_point now = Clock::now();
  if (is_under_way_) spans_.push_back({current_.phase, current_.begin, now});
  current_ = {phase, now, now};
  is_under_way_ = true;
}

void RunPhases::end() {
  if (!is_under_way_) return;
  current_.end = Clock::now();
  spans_.push_back(current_);
  is_under_way_ = false;
}

}  // namespace tessera::app
