// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flow_graph.hpp"
#include "tessera/app/graph_application.hpp"
#include "tessera/io/image_info.hpp"
#include "tessera/io/video.hpp"

namespace flow {

/// The frames of a series, which are alike: files, or the frames of a video. Each pair of frames that follow
/// each other is read on one rank; the ranks take turns.
class FrameSeries {
 public:
  virtual ~FrameSeries() = default;

  /// Counts the frames, which takes long for a video, all frames of which are decoded. Collective. Throws
  /// InputError if there are fewer than two, or if one is damaged.
  virtual void find_count() = 0;
  /// Returns the number of frames, which is at least 2, once they are counted.
  virtual std::int64_t count() const = 0;
  /// Returns the number of pairs.
  std::int64_t pairs() const { return count() - 1; }
  /// Returns the description of each frame.
  virtual const tessera::io::ImageInfo& info() const = 0;
  /// Returns the number of frames per second of a video of the series. Of a video that is read, only rank 0
  /// knows it.
  virtual tessera::io::FrameRate rate() const = 0;
  /// Returns the files that are read.
  virtual const std::vector<std::string>& files() const = 0;
  /// Returns the file that a frame comes from.
  virtual const std::string& file_of(std::int64_t frame) const = 0;
  /// Returns how many pairs may be under way on all ranks together, where each rank has memory for `window`
  /// pairs and computes by `workers` threads.
  virtual std::int64_t window_of_all(std::int64_t window, int workers) const = 0;
  /// Returns whether the frames must be read by one thread at a time.
  virtual bool is_read_by_one() const = 0;
  /// Adds the tasks that fill the memory of `pool` with pairs of frames. `begin` is called for each pair,
  /// before its frames are read, with its number. `options` are those of the task `read`.
  virtual tessera::graph::Flow<PairLease> add_tasks(
      tessera::graph::Graph& graph, const tessera::graph::Task& options,
      const tessera::graph::Pool<Pair>& pool, const std::function<void(std::int64_t, Pair&)>& begin) = 0;
};

/// Returns the series that the key `input.files` or `input.video` of the deck names. `setting` must outlive
/// it. The frames are not counted yet. Collective. Throws InputError if frames of files are not alike, or if
/// the program does not accept them.
std::unique_ptr<FrameSeries> frame_series(const tessera::app::GraphSetting& setting);

/// Returns whether the library of a format is not made for several threads.
bool is_for_one_thread(const tessera::io::ImageInfo& info);

}  // namespace flow
