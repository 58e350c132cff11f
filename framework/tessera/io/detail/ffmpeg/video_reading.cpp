// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <array>
#include <optional>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/ffmpeg/open_videos.hpp"
#include "tessera/io/detail/ffmpeg/video_decoder.hpp"
#include "tessera/io/detail/ffmpeg/video_samples.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/video.hpp"

namespace tessera::io::detail {
namespace {

/// What all frames of a video have in common.
struct FrameKind {
  explicit FrameKind(const AVFrame& frame)
      : width(frame.width),
        height(frame.height),
        format(static_cast<AVPixelFormat>(frame.format)),
        matrix(frame.colorspace),
        range(frame.color_range) {}
  bool operator==(const FrameKind&) const = default;

  int width;
  int height;
  AVPixelFormat format;
  AVColorSpace matrix;
  AVColorRange range;
};

std::string to_string(const FrameKind& kind) {
  return fmt::format("{} x {} points of {}", kind.width, kind.height, pixel_format_name(kind.format));
}

const AVPixFmtDescriptor& description_of(AVPixelFormat format) { return *av_pix_fmt_desc_get(format); }

bool is_rgb(AVPixelFormat format) { return (description_of(format).flags & AV_PIX_FMT_FLAG_RGB) != 0; }
bool is_grey(AVPixelFormat format) { return description_of(format).nb_components == 1; }

/// Throws InputError unless the samples are integers of the same number of bits, from 8 to 16, for grey, RGB
/// or YCbCr.
void check_samples(const std::string& path, AVPixelFormat format) {
  const AVPixFmtDescriptor& description = description_of(format);
  constexpr std::uint64_t refused = AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER |
                                    AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_HWACCEL |
                                    AV_PIX_FMT_FLAG_BITSTREAM;
  bool is_known = (description.flags & refused) == 0 && description.nb_components != 2 &&
                  !pixel_format_name(format).starts_with("xyz");
  for (int c = 0; c < description.nb_components; ++c) {
    const int bits = description.comp[c].depth;
    is_known = is_known && bits >= 8 && bits <= 16 && bits == description.comp[0].depth;
  }
  if (!is_known)
    fail(path, fmt::format("has frames of {}, which are not read", pixel_format_name(format)),
         "convert it to grey or RGB of 8 or 16 bits without transparency");
}

/// Returns the planar RGB format with as many bits as the YCbCr format `format`.
AVPixelFormat rgb_like(AVPixelFormat format) {
  switch (description_of(format).comp[0].depth) {
    case 8:
      return AV_PIX_FMT_GBRP;
    case 9:
      return AV_PIX_FMT_GBRP9;
    case 10:
      return AV_PIX_FMT_GBRP10;
    case 12:
      return AV_PIX_FMT_GBRP12;
    case 14:
      return AV_PIX_FMT_GBRP14;
    default:
      return AV_PIX_FMT_GBRP16;
  }
}

/// Throws InputError unless YCbCr is related to RGB by a matrix that FFmpeg's library for scaling knows.
void check_matrix(const std::string& path, AVColorSpace matrix) {
  if ((matrix >= AVCOL_SPC_BT709 && matrix <= AVCOL_SPC_SMPTE240M) || matrix == AVCOL_SPC_BT2020_NCL) return;
  const char* name = av_color_space_name(matrix);
  fail(path, fmt::format("has colours of {}, which are not read", name == nullptr ? "no name" : name),
       "convert it to RGB");
}

class FfmpegReading : public VideoReading {
 public:
  FfmpegReading(const std::string& path, VideoColour colour, int threads)
      : path_(path), decoder_(path, threads) {
    next_ = decoder_.next();
    if (next_ == nullptr) fail(path, "is a video without frames", "give the path of a video with frames");
    kind_.emplace(*next_);
    check_samples(path, kind_->format);
    if (colour == VideoColour::grey && is_rgb(kind_->format))
      fail(path, "is an RGB video, which has no luma", "read its colours, or convert it to grey");
    if (colour == VideoColour::as_stored && !is_grey(kind_->format) && !is_rgb(kind_->format)) {
      check_matrix(path, kind_->matrix);
      converter_.emplace(*next_, rgb_like(kind_->format), ycbcr_of(*next_));
    }
    describe(colour == VideoColour::grey || is_grey(kind_->format) ? 1 : 3);
  }

  const VideoInfo& info() const override { return info_; }

  bool read(const HostBlock& frame) override {
    check_block(frame, info_.type, info_.domain);
    if (is_used_ && next_ != nullptr) advance();
    if (next_ == nullptr) return false;
    read_samples(converter_ ? converter_->convert(*next_) : *next_, frame);
    // The next frame is decoded only when it is asked for. Until then, its damage is no error.
    is_used_ = true;
    return true;
  }

 private:
  void advance() {
    next_ = decoder_.next();
    if (next_ == nullptr || FrameKind(*next_) == *kind_) return;
    fail(path_,
         fmt::format("frame {}, counted from 0, is {}, and those before it are {}", decoder_.frames() - 1,
                     to_string(FrameKind(*next_)), to_string(*kind_)),
         "give a video whose frames are all alike");
  }

  void describe(std::int64_t channels) {
    info_.bits = description_of(kind_->format).comp[0].depth;
    info_.type = info_.bits > 8 ? ElementType::uint16 : ElementType::uint8;
    info_.domain = image_domain(kind_->width, kind_->height, channels);
    info_.frames = decoder_.expected_frames();
    info_.rate = decoder_.rate();
    info_.codec = decoder_.codec();
  }

  std::string path_;
  VideoDecoder decoder_;
  const AVFrame* next_ = nullptr;
  bool is_used_ = false;
  std::optional<FrameKind> kind_;
  std::optional<FrameConverter> converter_;
  VideoInfo info_;
};

}  // namespace

std::unique_ptr<VideoReading> open_with_ffmpeg(const std::string& path, VideoColour colour, int threads) {
  return std::make_unique<FfmpegReading>(path, colour, threads);
}

}  // namespace tessera::io::detail
