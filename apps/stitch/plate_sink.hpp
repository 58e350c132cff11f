// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "tessera/view/block_io.hpp"

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
  };

  /// Returns the points of a file: x, y, and then channels and slices if there are several.
  static tessera::Box domain(const Planes& planes, tessera::Range x, tessera::Range y) {
    tessera::Box domain{x, y};
    if (planes.channels > 1) add(domain, planes.channels);
    if (planes.slices > 1) add(domain, planes.slices);
    return domain;
  }

  /// `sink` takes the points that `domain` returns. The plate has `all_channels` in each slice.
  PlateSink(std::unique_ptr<tessera::BlockSink> sink, const Planes& planes, int all_channels)
      : sink_(std::move(sink)), planes_(planes), all_channels_(all_channels) {}

  /// Writes rows of the file as a part of it (see BlockSink::write_part). `rows` are those of this rank in
  /// all channels and slices of the plate, and `band` those of all ranks.
  void write(const tessera::HostBlock& rows, tessera::Range band) const {
    const tessera::Range x = rows.box[0];
    const std::int64_t plane = x.size() * rows.box[1].size();
    tessera::HostBlock own{rows.data, rows.type, domain(planes_, x, rows.box[1]), {1, x.size()}};
    own.data += (std::int64_t(planes_.first_slice) * all_channels_ + planes_.first_channel) * plane *
                static_cast<std::int64_t>(tessera::size_of(rows.type));
    int dimension = 2;
    if (planes_.channels > 1) own.strides[dimension++] = plane;
    if (planes_.slices > 1) own.strides[dimension] = plane * all_channels_;
    sink_->write_part(own, domain(planes_, x, band));
  }

 private:
  static void add(tessera::Box& domain, int size) { domain[domain.dimensions++] = {0, size}; }

  std::unique_ptr<tessera::BlockSink> sink_;
  Planes planes_;
  int all_channels_;
};

}  // namespace stitch
