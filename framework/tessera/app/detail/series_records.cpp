// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "tessera/domain/text.hpp"

namespace tessera::app {
namespace {

/// Prints the first lines about images with a loop that has not converged, and how many more there are.
void print_first(const std::string& program, const std::vector<ImageLine>& lines) {
  constexpr std::size_t most_lines = 10;
  const std::size_t shown = std::min(lines.size(), most_lines);
  for (std::size_t i = 0; i < shown; ++i) fmt::print(stderr, "{}: {}\n", program, lines[i].text);
  if (const auto more = static_cast<std::int64_t>(lines.size() - shown); more > 0)
    fmt::print(stderr, "{}: and {} with a loop that has not converged\n", program,
               counted(more, "more image"));
}

}  // namespace

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
  std::vector<ImageLine> lines = graph::gathered(communicator, mine);
  if (rank_in(communicator) != 0) return {};
  std::ranges::stable_sort(lines, {}, &ImageLine::index);
  return lines;
}

void SeriesOutcome::add(Report& report) const {
  if (!remarks.empty()) report.add("run", {{"remarks", fmt::format("{}", fmt::join(remarks, "; "))}});
  report.add("series", {{"written", written},
                        {"left_out", std::ssize(left_out)},
                        {"not_converged", std::ssize(not_converged)},
                        {"seconds", seconds},
                        {"per_second", per_second()}});
  for (const ImageLine& line : left_out) report.add_row("left_out", {{"file_and_reason", line.text}});
  for (const ImageLine& line : not_converged)
    report.add_row("not_converged", {{"image_and_loop", line.text}});
}

std::string rate_text(std::int64_t done, std::int64_t count, double seconds) {
  const double rate = static_cast<double>(done) / seconds;
  if (count <= 0) return fmt::format("{} images, {:.1f} per second", done, rate);
  return fmt::format("{} of {} images, {:.1f} per second, {:.0f} s left", done, count, rate,
                     static_cast<double>(count - done) / rate);
}

void SeriesProgress::wrote() {
  const std::lock_guard lock(mutex_);
  ++done_;
  progress_.turn([this] { return rate_text(done_, count_, seconds_since(began_)); });
}

void SeriesProgress::remark(const ImageLine& line) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(remarks_, line.text, &ImageLine::text);
  if (known == remarks_.end())
    remarks_.push_back(line);
  else
    known->index = std::min(known->index, line.index);
}

SeriesOutcome SeriesProgress::outcome(MPI_Comm communicator) const {
  SeriesOutcome all{.written = done_,
                    .seconds = seconds_since(began_),
                    .left_out = gather_lines(communicator, left_out_),
                    .not_converged = gather_lines(communicator, not_converged_)};
  MPI_Allreduce(MPI_IN_PLACE, &all.written, 1, MPI_INT64_T, MPI_SUM, communicator);
  for (const ImageLine& line : gather_lines(communicator, remarks_))
    if (std::ranges::find(all.remarks, line.text) == all.remarks.end()) all.remarks.push_back(line.text);
  return all;
}

ExitStatus tell_outcome(const Session& session, const std::string& program, Progress& progress,
                        const SeriesOutcome& outcome, bool is_stopped, std::int64_t count) {
  int found[3] = {is_stopped, !outcome.left_out.empty(), !outcome.not_converged.empty()};
  MPI_Allreduce(MPI_IN_PLACE, found, 3, MPI_INT, MPI_MAX, session.communicator());
  const auto [stopped, has_left_out, has_unfinished] = found;
  for (const std::string& remark : outcome.remarks) progress.line(remark);
  progress.line(fmt::format("wrote {} images in {:.2f} s, {:.1f} per second", outcome.written,
                            outcome.seconds, outcome.per_second()));
  // Only rank 0 has lines.
  print_first(program, outcome.not_converged);
  for (const ImageLine& line : outcome.left_out) fmt::print(stderr, "{}: left out {}\n", program, line.text);
  if (stopped && session.rank() == 0)
    fmt::print(stderr, "{}: a signal has ended the series after {} of {} images\n", program, outcome.written,
               count >= 0 ? std::to_string(count) : "all");
  return stopped          ? ExitStatus::stopped
         : has_left_out   ? ExitStatus::bad_input
         : has_unfinished ? ExitStatus::not_converged
                          : ExitStatus::done;
}

}  // namespace tessera::app
