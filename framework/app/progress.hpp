// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera::app {

/// The one progress line: rewritten in place on a terminal, plain lines in a log, nothing when quiet or on
/// ranks other than 0.
class Progress {
 public:
  Progress(int rank, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Step `index` of `count` begins.
  void step(int index, int count, const std::string& what);

  /// A line of its own, which stays.
  void line(const std::string& text);

 private:
  void clear();

  bool shown_;
  bool terminal_;
  bool pending_ = false;
};

}  // namespace tessera::app
