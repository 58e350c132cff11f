// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdarg>
#include <memory>
#include <new>
#include <string>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include "tessera/io/detail/video_backend.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Opens a video with FFmpeg (see open_video).
std::unique_ptr<VideoReader> open_with_ffmpeg(const std::string& path, VideoColour colour, int threads);

/// Releases objects of FFmpeg. A container for output is released with its file, which is not completed.
struct FreeFfmpeg {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
  void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
  void operator()(AVFormatContext* container) const;
};
using FfmpegFrame = std::unique_ptr<AVFrame, FreeFfmpeg>;
using FfmpegPacket = std::unique_ptr<AVPacket, FreeFfmpeg>;
using FfmpegCodec = std::unique_ptr<AVCodecContext, FreeFfmpeg>;
using FfmpegScaler = std::unique_ptr<SwsContext, FreeFfmpeg>;
using FfmpegContainer = std::unique_ptr<AVFormatContext, FreeFfmpeg>;

/// Returns `object`, which FFmpeg has just allocated. Throws std::bad_alloc if it is null.
template <class T>
T* allocated(T* object) {
  if (object == nullptr) throw std::bad_alloc();
  return object;
}

/// Returns a frame with memory for width x height points. Throws std::bad_alloc if there is no memory.
FfmpegFrame make_frame(AVPixelFormat format, int width, int height);

/// Returns the message of FFmpeg for one of its error numbers.
std::string ffmpeg_text(int error);

/// Returns FFmpeg's name of a pixel format, such as "yuv420p".
std::string pixel_format_name(AVPixelFormat format);

/// Collects FFmpeg's error messages about the containers and codecs that are watched.
/// FFmpeg reports some damage only in this way, and then goes on with other points. While a program uses this
/// class, FFmpeg prints nothing. An object must not be destroyed before what it watches.
class FfmpegErrors {
 public:
  FfmpegErrors();
  FfmpegErrors(const FfmpegErrors&) = delete;
  FfmpegErrors& operator=(const FfmpegErrors&) = delete;
  ~FfmpegErrors();

  void watch(AVFormatContext& container) { container.opaque = this; }
  void watch(AVCodecContext& codec) { codec.opaque = this; }

  /// Returns the first message since the last call of this function. The text is empty if there was none.
  std::string take();

  /// Returns the message of `take`, or if there was none, the message for the error number.
  std::string take_or_text(int error);

 private:
  static void on_message(void* context, int level, const char* format, va_list arguments);

  std::string first_;
};

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
