// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/ffmpeg/ffmpeg.hpp"
#include "tessera/io/detail/files.hpp"

namespace tessera::io::detail {
namespace {

/// The containers that are read, by FFmpeg's names. FFmpeg also takes pictures, lists of other files and even
/// texts for videos, and there are containers whose ends cannot be checked.
constexpr const char* containers = "yuv4mpegpipe,matroska,mov,avi";
constexpr const char* container_kind = "a Y4M, MKV, WebM, MP4, MOV or AVI file";

bool is_container(const AVFormatContext& container, std::string_view name) {
  return std::string_view(container.iformat->name).starts_with(name);
}

/// Returns whether an MP4 or MOV file, a sequence of boxes, ends within a box.
bool ends_within_box(AVIOContext& file) {
  constexpr std::int64_t header_bytes = 8;
  const std::int64_t size = avio_size(&file);
  for (std::int64_t position = 0; position < size;) {
    if (position + header_bytes > size) return true;
    avio_seek(&file, position, SEEK_SET);
    std::int64_t bytes = avio_rb32(&file);
    avio_rb32(&file);  // the kind of the box
    if (bytes == 1) bytes = static_cast<std::int64_t>(avio_rb64(&file));
    if (bytes < header_bytes) return false;  // a box without an end, or bytes that belong to no box
    if (bytes > size - position) return true;
    position += bytes;
  }

  return false;
}

/// Returns whether an AVI file, a sequence of RIFF chunks, ends within a chunk.
bool ends_within_chunk(AVIOContext& file) {
  constexpr std::int64_t header_bytes = 8;
  const std::int64_t size = avio_size(&file);
  for (std::int64_t position = 0; position + header_bytes <= size;) {
    avio_seek(&file, position, SEEK_SET);
    if (avio_rl32(&file) != MKTAG('R', 'I', 'F', 'F')) return false;  // bytes that belong to no chunk
    const std::int64_t bytes = avio_rl32(&file);
    if (bytes > size - position - header_bytes) return true;
    if (bytes == 0) return false;  // a recorder that did not know the size
    position += header_bytes + bytes + bytes % 2;
  }

  return false;
}

/// Returns whether each packet of the codec is a frame that is shown. Other codecs have packets without one.
bool has_frame_in_each_packet(AVCodecID codec) {
  const AVCodecDescriptor* description = avcodec_descriptor_get(codec);
  const bool is_intra = description != nullptr && (description->props & AV_CODEC_PROP_INTRA_ONLY) != 0;
  return is_intra || codec == AV_CODEC_ID_H264;
}

/// Makes the decoder report all damage that it finds, instead of hiding it.
void report_damage(AVCodecContext& codec) {
  codec.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE;
  codec.flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;
}

/// Decodes the frames of one video stream, in the order in which they are shown.
class VideoDecoder {
 public:
  /// Opens the file. Throws InputError when it is missing or unreadable, is not a video, or has a compression
  /// that FFmpeg cannot decode.
  VideoDecoder(const std::string& path, int threads)
      : path_(path), packet_(allocated(av_packet_alloc())), frame_(allocated(av_frame_alloc())) {
    open_for_reading(path, "a video");
    open_container();
    choose_stream();
    open_codec(threads);
  }

  /// Decodes the next frame, which is valid until the next call. Returns null after the last frame. Throws
  /// InputError when the file is damaged or ends too early.
  const AVFrame* next() {
    for (;;) {
      av_frame_unref(frame_.get());
      const int error = avcodec_receive_frame(codec_.get(), frame_.get());
      const std::string message = errors_.take();
      if (!message.empty()) fail_at_frame(message);
      if (error == AVERROR(EAGAIN)) {
        give_packet();
        continue;
      }
      if (error == AVERROR_EOF) {
        if (!damage_.empty()) fail_at_frame(damage_);
        if (frames_ < shown_packets_ && has_frame_in_each_packet(codec_->codec_id))
          fail_at_frame("there are more packets than frames");
        return nullptr;
      }
      if (error < 0) fail_at_frame(ffmpeg_text(error));
      if ((frame_->flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame_->decode_error_flags != 0)
        fail_at_frame("points of the frame are missing");
      ++frames_;
      return frame_.get();
    }
  }

  /// The number of frames that were decoded.
  std::int64_t frames() const { return frames_; }
  /// The number of frames according to the header, or -1.
  std::int64_t expected_frames() const {
    if (stream_->nb_frames > 0) return stream_->nb_frames;
    const FrameRate rate = this->rate();
    const double frames_per_second =
        static_cast<double>(rate.numerator) / static_cast<double>(rate.denominator);
    double seconds = -1;
    if (stream_->duration != AV_NOPTS_VALUE)
      seconds = static_cast<double>(stream_->duration) * av_q2d(stream_->time_base);
    else if (container_->duration != AV_NOPTS_VALUE)
      seconds = static_cast<double>(container_->duration) / AV_TIME_BASE;
    return seconds > 0 && frames_per_second > 0 ? std::llround(seconds * frames_per_second) : -1;
  }

  FrameRate rate() const {
    AVRational rate = stream_->avg_frame_rate;
    if (rate.num <= 0) rate = stream_->r_frame_rate;
    // In these containers a tick of the clock is a frame.
    const bool is_regular = is_container(*container_, "yuv4mpegpipe") || is_container(*container_, "avi");
    if (rate.num <= 0 && is_regular) rate = av_inv_q(stream_->time_base);
    return rate.num > 0 && rate.den > 0 ? FrameRate{rate.num, rate.den} : FrameRate{0, 1};
  }

  std::string codec() const { return avcodec_get_name(stream_->codecpar->codec_id); }

 private:
  void open_container() {
    AVFormatContext* container = allocated(avformat_alloc_context());
    errors_.watch(*container);
    container->format_whitelist = av_strdup(containers);
    container->protocol_whitelist = av_strdup("file");
    // FFmpeg frees the container if it cannot be opened. Without "file:", a colon would end a protocol's
    // name.
    const int error = avformat_open_input(&container, ("file:" + path_).c_str(), nullptr, nullptr);
    if (error < 0) {
      const std::string message = errors_.take_or_text(error);
      const bool is_other = message.starts_with("Format not on whitelist");
      fail(path_, fmt::format("cannot be read as a video ({})", is_other ? "it has another format" : message),
           fmt::format("give the path of {}", container_kind));
    }
    container_.reset(container);
    position_ = avio_tell(container_->pb);
  }

  void choose_stream() {
    const int index = av_find_best_stream(container_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    const bool is_found =
        index >= 0 && (container_->streams[index]->disposition & AV_DISPOSITION_ATTACHED_PIC) == 0;
    if (!is_found) fail(path_, "has no video stream", "give the path of a video");
    stream_ = container_->streams[index];
    for (unsigned other = 0; other < container_->nb_streams; ++other)
      if (static_cast<int>(other) != index) container_->streams[other]->discard = AVDISCARD_ALL;
  }

  void open_codec(int threads) {
    const AVCodecParameters& parameters = *stream_->codecpar;
    const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
    const std::string name = avcodec_get_name(parameters.codec_id);
    if (codec == nullptr)
      fail(path_, fmt::format("is compressed with {}, which this FFmpeg cannot decode", name),
           "convert it, for example to FFV1 in an MKV file");
    codec_.reset(allocated(avcodec_alloc_context3(codec)));
    errors_.watch(*codec_);
    report_damage(*codec_);
    codec_->thread_count = threads;
    codec_->pkt_timebase = stream_->time_base;
    // Else the decoder guesses how far frames are out of order, where the file does not say it.
    if (parameters.codec_id == AV_CODEC_ID_H264) codec_->strict_std_compliance = FF_COMPLIANCE_STRICT;
    int error = avcodec_parameters_to_context(codec_.get(), &parameters);
    if (error >= 0) error = avcodec_open2(codec_.get(), codec, nullptr);
    if (error < 0)
      fail(path_,
           fmt::format("its compression, {}, cannot be decoded ({})", name, errors_.take_or_text(error)),
           "get a complete copy of the file, or convert it");
  }

  /// Gives the next packet to the decoder. After the last one, asks the decoder for the frames that it still
  /// has.
  void give_packet() {
    const bool is_read = damage_.empty() && read_packet();
    const int error = avcodec_send_packet(codec_.get(), is_read ? packet_.get() : nullptr);
    av_packet_unref(packet_.get());
    if (error < 0) fail_at_frame(errors_.take_or_text(error));
  }

  /// Reads the next packet of the video stream. Returns false at the end of the file or where it is damaged.
  bool read_packet() {
    for (;;) {
      const int error = av_read_frame(container_.get(), packet_.get());
      damage_ = errors_.take();
      if (damage_.empty() && error == AVERROR_EOF) damage_ = problem_at_end();
      if (damage_.empty() && error < 0 && error != AVERROR_EOF) damage_ = ffmpeg_text(error);
      if (damage_.empty() && error >= 0 && (packet_->flags & AV_PKT_FLAG_CORRUPT) != 0)
        damage_ = "the frame is not complete";
      if (error < 0 || !damage_.empty()) return false;
      if (packet_->stream_index == stream_->index) {
        ++packets_;
        if ((packet_->flags & AV_PKT_FLAG_DISCARD) == 0) ++shown_packets_;
        position_ = packet_->pos + packet_->size;
        return true;
      }
      av_packet_unref(packet_.get());
    }
  }

  /// Returns what is wrong with the end of the file, for the containers whose truncation FFmpeg does not
  /// report.
  std::string problem_at_end() const {
    AVIOContext& file = *container_->pb;
    if (file.error < 0) return ffmpeg_text(file.error);
    bool is_short = packets_ < avformat_index_get_entries_count(stream_);
    if (is_container(*container_, "yuv4mpegpipe")) is_short = position_ != avio_size(&file);
    if (is_container(*container_, "mov")) is_short = is_short || ends_within_box(file);
    if (is_container(*container_, "avi")) is_short = is_short || ends_within_chunk(file);
    return is_short ? "the file ends too early" : "";
  }

  [[noreturn]] void fail_at_frame(const std::string& reason) const {
    fail(path_, fmt::format("is damaged or truncated at frame {}, counted from 0 ({})", frames_, reason));
  }

  std::string path_;
  FfmpegErrors errors_;  // declared before what it watches, so that it is destroyed last
  FfmpegContainer container_;
  FfmpegCodec codec_;
  FfmpegPacket packet_;
  FfmpegFrame frame_;
  AVStream* stream_ = nullptr;
  std::int64_t frames_ = 0;
  std::int64_t packets_ = 0;
  /// The number of packets without those that the container cuts off at the beginning or the end.
  std::int64_t shown_packets_ = 0;
  /// The position in the file after the last packet; at first after the header.
  std::int64_t position_ = 0;
  /// Why the file could not be read to its end. The frames before the damage are still to be decoded.
  std::string damage_;
};

/// The properties that all frames of a video share.
struct FrameKind {
  bool operator==(const FrameKind&) const = default;

  int width;
  int height;
  AVPixelFormat format;
  AVColorSpace matrix;
  AVColorRange range;
};

FrameKind kind_of(const AVFrame& frame) {
  return {frame.width, frame.height, static_cast<AVPixelFormat>(frame.format), frame.colorspace,
          frame.color_range};
}

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
  const int bits = description_of(format).comp[0].depth;
  return av_get_pix_fmt(bits == 8 ? "gbrp" : fmt::format("gbrp{}", bits).c_str());
}

/// Throws InputError unless YCbCr is related to RGB by a matrix that FFmpeg's library for scaling knows.
void check_matrix(const std::string& path, AVColorSpace matrix) {
  if ((matrix >= AVCOL_SPC_BT709 && matrix <= AVCOL_SPC_SMPTE240M) || matrix == AVCOL_SPC_BT2020_NCL) return;
  const char* name = av_color_space_name(matrix);
  fail(path, fmt::format("has colours of {}, which are not read", name == nullptr ? "no name" : name),
       "convert it to RGB");
}

class FfmpegReading : public VideoReader {
 public:
  FfmpegReading(const std::string& path, VideoColour colour, int threads)
      : path_(path), decoder_(path, threads) {
    next_ = decoder_.next();
    if (next_ == nullptr) fail(path, "is a video without frames", "give the path of a video with frames");
    kind_ = kind_of(*next_);
    check_samples(path, kind_.format);
    if (colour == VideoColour::grey && is_rgb(kind_.format))
      fail(path, "is an RGB video, which has no luma", "read its colours, or convert it to grey");
    if (colour == VideoColour::as_stored && !is_grey(kind_.format) && !is_rgb(kind_.format)) {
      check_matrix(path, kind_.matrix);
      converter_.emplace(*next_, rgb_like(kind_.format), ycbcr_of(*next_));
    }
    describe(colour == VideoColour::grey || is_grey(kind_.format) ? 1 : 3);
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
    if (next_ == nullptr || kind_of(*next_) == kind_) return;
    fail(path_,
         fmt::format("frame {}, counted from 0, is {}, and those before it are {}", decoder_.frames() - 1,
                     to_string(kind_of(*next_)), to_string(kind_)),
         "give a video whose frames are all alike");
  }

  void describe(std::int64_t channels) {
    info_.bits = description_of(kind_.format).comp[0].depth;
    info_.type = info_.bits > 8 ? ElementType::uint16 : ElementType::uint8;
    info_.domain = image_domain(kind_.width, kind_.height, channels);
    info_.frames = decoder_.expected_frames();
    info_.rate = decoder_.rate();
    info_.codec = decoder_.codec();
  }

  std::string path_;
  VideoDecoder decoder_;
  const AVFrame* next_ = nullptr;
  bool is_used_ = false;
  FrameKind kind_{};
  std::optional<FrameConverter> converter_;
  VideoInfo info_;
};

}  // namespace

std::unique_ptr<VideoReader> open_with_ffmpeg(const std::string& path, VideoColour colour, int threads) {
  return std::make_unique<FfmpegReading>(path, colour, threads);
}

}  // namespace tessera::io::detail
