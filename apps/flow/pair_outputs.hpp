// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flow_graph.hpp"
#include "frame_series.hpp"
#include "tessera/app/graph_application.hpp"
#include "tessera/io/video.hpp"

namespace flow {

/// The outputs of a series: a file of the flow and a picture for each pair, and a video of the pictures.
class PairOutputs {
 public:
  /// Checks the keys, which needs no count of the frames, and on rank 0 that the video can be created.
  /// `setting` and `frames` must outlive this object. Not collective. Throws InputError.
  PairOutputs(const tessera::app::GraphSetting& setting, const FrameSeries& frames);

  /// Checks that each file has a name of its own, once the frames are counted. The run also reads `truths`.
  /// Not collective. Throws InputError.
  void check_names(const std::vector<std::string>& truths) const;
  /// Returns what the outputs need besides the flow.
  Extras extras() const;
  /// Returns the paths of all files that are written.
  std::vector<std::string> files() const;

  /// Creates the video, if there is one. Collective. Throws InputError.
  void begin();
  /// Adds the tasks that write. `done` is called for each pair whose flow is written, by one thread at a
  /// time, on the rank that has computed the flow.
  void add_tasks(tessera::graph::Graph& graph, const tessera::graph::Flow<PairLease>& pairs,
                 const std::function<void(const Pair&)>& done);
  /// Completes the video after the graph has run. Collective. Throws InputError.
  void end();

 private:
  bool has(const char* key) const { return setting_.deck.is_set(key); }
  bool has_picture() const { return has("output.pictures") || has("output.video"); }
  std::string path(const char* key, std::int64_t pair) const;
  void check_endings() const;
  std::unique_ptr<tessera::io::VideoWriter> new_video() const;
  void write_flow(const Pair& pair) const;
  void write_picture(const Pair& pair) const;

  const tessera::app::GraphSetting& setting_;
  const FrameSeries& frames_;
  std::unique_ptr<tessera::io::VideoWriter> video_;
};

}  // namespace flow
