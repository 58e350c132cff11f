// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/io/detail/ffmpeg/ffmpeg.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Stores the points of `to` from a frame. Channel c of `to` is component c of the pixel format: for RGB red,
/// green and blue, for YCbCr luma first. The components have as many samples as the frame has points, and
/// their bits fit the element type of `to`, which is uint8 or uint16.
void read_samples(const AVFrame& frame, const HostBlock& to);

/// Stores `from` in a frame of the same size. The components of its pixel format are the channels of `from`,
/// and their samples are elements of the type of `from`.
void write_samples(const HostBlock& from, AVFrame& frame);

/// How the samples of YCbCr frames are related to RGB.
struct Ycbcr {
  AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
  bool has_full_range = false;
};

/// Returns what is known about the samples of a YCbCr frame.
Ycbcr ycbcr_of(const AVFrame& frame);

/// Converts frames, which are all alike, from YCbCr to RGB, or from grey or RGB to YCbCr. RGB and grey have
/// the full range. The result does not depend on the processor.
class FrameConverter {
 public:
  /// Makes a converter for frames that are like `from`. Throws InternalError if FFmpeg has no such
  /// conversion.
  FrameConverter(const AVFrame& from, AVPixelFormat to, const Ycbcr& ycbcr);
  /// Converts a frame. The result is valid until the next call.
  AVFrame& convert(const AVFrame& from);

 private:
  FfmpegFrame result_;
  FfmpegScaler scaler_;
};

}  // namespace tessera::io::detail
