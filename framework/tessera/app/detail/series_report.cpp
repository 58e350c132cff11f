// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/transfers.hpp"

namespace tessera::app {
namespace {

/// Returns each line once, where it comes first.
std::vector<std::string> without_copies(const std::vector<std::string>& lines) {
  std::vector<std::string> once;
  for (const std::string& line : lines)
    if (std::ranges::find(once, line) == once.end()) once.push_back(line);
  return once;
}

}  // namespace

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

SeriesReport::SeriesReport(Session& session, const Options& options, const PipelineApplication& application,
                           const deck::Deck& deck, const std::vector<std::string>& taken)
    : session_(session), application_(application), deck_(deck), records_(session, options, taken) {}

SeriesOutcome SeriesReport::write(const graph::Report& report, const SeriesLines& lines) {
  SeriesOutcome outcome{
      .seconds = report.seconds,
      .left_out = texts_of(gather_lines(session_.communicator(), lines.left_out)),
      .not_converged = texts_of(gather_lines(session_.communicator(), lines.not_converged)),
      .remarks = without_copies(texts_of(gather_lines(session_.communicator(), lines.remarks)))};
  Report full = report_of_run(session_, application_.program, report.workers, deck_);
  if (!outcome.remarks.empty())
    full.add("run", {{"remarks", fmt::format("{}", fmt::join(outcome.remarks, "; "))}});
  outcome.written = add_graph(full, session_.communicator(), report, "write");
  full.add("series", {{"written", outcome.written},
                      {"left_out", std::int64_t(std::ssize(outcome.left_out))},
                      {"not_converged", std::int64_t(std::ssize(outcome.not_converged))},
                      {"seconds", outcome.seconds},
                      {"per_second", static_cast<double>(outcome.written) / outcome.seconds},
                      {"most_at_a_time", report.most_items}});
  for (const std::string& line : outcome.left_out) full.add_row("left_out", {{"file_and_reason", line}});
  for (const std::string& line : outcome.not_converged)
    full.add_row("not_converged", {{"image_and_loop", line}});
  records_.write(full, {report});
  return outcome;
}

}  // namespace tessera::app
