// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/session.hpp"
#include "tessera/graph/graph.hpp"
#include "tessera/io/text_file.hpp"

namespace tessera::app {

/// What all ranks together have done with a series.
struct SeriesOutcome {
  std::int64_t written = 0;
  double seconds = 0;
  /// Lines about the files that were left out, in the order of the series. Empty on all ranks but the first.
  std::vector<std::string> left_out = {};
};

/// The report and the trace of a series. The constructor and `write` are collective.
class SeriesReport {
 public:
  /// Creates the files that the options name, so that one that cannot be written is noticed at once. Throws
  /// InputError.
  SeriesReport(Session& session, const Options& options, const PipelineApplication& application,
               const deck::Deck& deck);

  bool is_wanted() const { return prints_report_ || report_file_ || trace_file_; }
  bool wants_trace() const { return trace_file_.has_value(); }
  /// Writes the files. `name_of_item` returns the file of an item of this rank's source. Returns the sums
  /// over all ranks.
  SeriesOutcome write(const graph::Report& report,
                      const std::function<std::string(std::int64_t)>& name_of_item);

 private:
  Session& session_;
  const Options& options_;
  const PipelineApplication& application_;
  const deck::Deck& deck_;
  bool prints_report_ = false;
  std::optional<io::TextFile> report_file_;
  std::optional<io::TextFile> trace_file_;
};

}  // namespace tessera::app
