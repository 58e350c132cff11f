// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "tessera/view/block_io.hpp"
#include "tessera/view/host_copy.hpp"

namespace stitch {

/// A file of the plate, which has all of its channels and slices or some of them.
class PlateSink {
 public:
  /// The channels and slices of a file: from which ones on, and how many.
  struct Planes {
    int first_channel = 0;
    int channels = 1;
    int first_slice = 0;
    int slices = 1;
    /// Whether the file has axes for channels and slices also if there is one of them.
    bool has_all_axes = false;
  };

  /// Creates the sink for an array of some points. Collective.
  using Create = std::function<std::unique_ptr<tessera::BlockSink>(const tessera::Box& domain)>;

  /// The plate has the points `x` and `y`, and `all_channels` in each slice.
  PlateSink(Create create, const Planes& planes, int all_channels, tessera::Range x, tessera::Range y)
      : create_(std::move(create)), planes_(planes), all_channels_(all_channels) {
    const tessera::Range channels{0, planes.channels}, slices{0, planes.slices};
    domain_ = box(x, y, channels, slices);
    left_ = domain_.size();
  }

  /// Creates the file and gives it up, which tests whether it can be written. Collective.
  void try_out() const { create_(domain_); }

  /// Writes rows of some channels of a slice as far as they belong to the file. `rows` are those of this
  /// rank, `band` those of all ranks, and `first` is the number of the first channel, counted through all
  /// slices. The file is created before its first rows and closed after its last ones. Collective.
  void write(const tessera::HostBlock& rows, tessera::Range band, int first) {
    using tessera::Range;
    const int channel = first % all_channels_, slice = first / all_channels_ - planes_.first_slice;
    const auto count = static_cast<int>(rows.box.dimensions == 3 ? rows.box[2].size() : 1);
    const Range common = intersection(Range{channel, channel + count},
                                      {planes_.first_channel, planes_.first_channel + planes_.channels});
    if (common.empty() || slice < 0 || slice >= planes_.slices) return;
    const Range channels{common.begin - planes_.first_channel, common.end - planes_.first_channel},
        slices{slice, slice + 1};
    const tessera::Box part = box(rows.box[0], band, channels, slices);
    tessera::HostBlock own =
        tessera::packed_block(rows.data, rows.type, box(rows.box[0], rows.box[1], channels, slices));
    own.data += (common.begin - channel) * rows.box[0].size() * rows.box[1].size() *
                static_cast<std::int64_t>(tessera::size_of(rows.type));
    if (!sink_) sink_ = create_(domain_);
    sink_->write_part(own, part);
    left_ -= part.size();
    if (left_ == 0) sink_.reset();
  }

 private:
  /// Returns points of the file: x, y, and then channels and slices if it has axes for them.
  tessera::Box box(tessera::Range x, tessera::Range y, tessera::Range channels, tessera::Range slices) const {
    tessera::Box box{x, y};
    if (planes_.channels > 1 || planes_.has_all_axes) box[box.dimensions++] = channels;
    if (planes_.slices > 1 || planes_.has_all_axes) box[box.dimensions++] = slices;
    return box;
  }

  Create create_;
  Planes planes_;
  int all_channels_;
  tessera::Box domain_;
  std::int64_t left_ = 0;
  std::unique_ptr<tessera::BlockSink> sink_;
};

}  // namespace stitch
