// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/transfers.hpp"

namespace tessera::app {

std::string line_about(const std::string& file, const std::string& reason) {
  return reason.starts_with(file) ? reason : fmt::format("{}: {}", file, reason);
}

std::string checked_text(const std::vector<ImageLine>& left_out, std::int64_t good, const std::string& first,
                         const std::string& last) {
  std::string text;
  for (const ImageLine& line : left_out) text += fmt::format("would leave out {}\n", line.text);
  return text + fmt::format("{} images can be read, and would become {}{}\n", good, first,
                            last == first ? "" : " to " + last);
}

std::vector<ImageLine> gather_lines(MPI_Comm communicator, const std::vector<ImageLine>& mine) {
  struct Head {
    std::int64_t index, size;
  };
  std::vector<Head> heads;
  std::vector<char> text;
  for (const ImageLine& line : mine) {
    heads.push_back({line.index, std::ssize(line.text)});
    text.insert(text.end(), line.text.begin(), line.text.end());
  }
  const auto heads_by_rank = gather(communicator, heads);
  const auto texts = gather(communicator, text);
  std::vector<ImageLine> lines;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    auto at = texts[rank].begin();
    for (const Head& head : heads_by_rank[rank]) {
      lines.push_back({head.index, std::string(at, at + head.size)});
      at += head.size;
    }
  }
  std::ranges::stable_sort(lines, {}, &ImageLine::index);
  return lines;
}

std::vector<std::string> texts_of(const std::vector<ImageLine>& lines) {
  std::vector<std::string> texts;
  for (const ImageLine& line : lines) texts.push_back(line.text);
  return texts;
}

}  // namespace tessera::app
