// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>

extern "C" {
#include <libavutil/opt.h>
}

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/ffmpeg/ffmpeg.hpp"
#include "tessera/io/detail/files.hpp"

namespace tessera::io::detail {
namespace {

/// How a video is written: FFmpeg's names of the container and the encoder, and the pixel formats.
struct VideoEncoding {
  const char* container = nullptr;
  const char* encoder = nullptr;
  /// The format that holds the samples as they are given.
  AVPixelFormat given = AV_PIX_FMT_NONE;
  /// The format that the encoder takes.
  AVPixelFormat encoded = AV_PIX_FMT_NONE;
};

/// The number of ticks of a clock in a fraction. FFmpeg counts with int.
int ticks(const std::string& path, FrameRate rate, std::int64_t count) {
  if (count < 1 || count > std::numeric_limits<int>::max())
    fail(path, fmt::format("cannot have {}/{} frames per second", rate.numerator, rate.denominator),
         "give a fraction of positive numbers below 2147483648");
  return static_cast<int>(count);
}

/// Throws InputError if FFmpeg would not store the frame rate in a Matroska file, whose clock has
/// milliseconds.
void check_matroska_rate(const std::string& path, FrameRate rate) {
  constexpr std::int64_t most = 1000;
  if (rate.numerator / rate.denominator >= most)
    fail(path,
         fmt::format("an .mkv file cannot have {}/{} frames per second", rate.numerator, rate.denominator),
         fmt::format("give the rate at which they are to be shown, below {}", most));
}

/// Throws InputError unless frames are grey or RGB, and of uint8 or uint16.
void check_frames(const std::string& path, const Box& domain, ElementType type) {
  if (type != ElementType::uint8 && type != ElementType::uint16)
    fail(path, fmt::format("a video cannot hold {}", name_of(type)), "write uint8 or uint16");
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const bool is_image = domain.dimensions == 2 || (domain.dimensions == 3 && domain[2].size() == 3);
  if (!is_image || domain.empty() || domain[0].size() > most || domain[1].size() > most)
    fail(path, fmt::format("a video cannot hold frames of {}", to_string(domain)),
         "write frames of (x, y), or of (x, y, channel) with 3 channels");
}

std::string lower_case_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return ending;
}

/// Returns the codec of a file with the ending `ending`. `codec` is the one that was asked for.
VideoCodec codec_of(const std::string& path, const std::string& ending, VideoCodec codec) {
  struct Kind {
    VideoCodec codec;
    const char* name;
    std::vector<std::string_view> endings;
  };
  static const Kind kinds[] = {{VideoCodec::y4m, "Y4M", {".y4m"}},
                               {VideoCodec::ffv1, "FFV1", {".mkv"}},
                               {VideoCodec::h264, "H.264", {".mp4", ".mkv"}}};
  for (const Kind& kind : kinds)
    if ((codec == VideoCodec::by_ending || codec == kind.codec) &&
        std::ranges::find(kind.endings, ending) != kind.endings.end())
      return kind.codec;
  for (const Kind& kind : kinds)
    if (codec == kind.codec)
      fail(path, fmt::format("is not a name for {}", kind.name),
           fmt::format("let it end with {}", fmt::join(kind.endings, " or ")));
  fail(path, "its ending names no format for videos", "let it end with .mkv, .y4m or .mp4");
}

AVPixelFormat lossless_format(bool is_grey, ElementType type) {
  if (type == ElementType::uint8) return is_grey ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_BGR0;
  return is_grey ? AV_PIX_FMT_GRAY16 : AV_PIX_FMT_GBRP16;
}

/// Throws InputError for frames so small that FFmpeg's FFV1 does not keep their samples.
void check_ffv1(const std::string& path, const Box& domain) {
  constexpr std::int64_t least = 3;
  if (domain[0].size() < least || domain[1].size() < least)
    fail(path,
         fmt::format("FFV1 takes at least {0} columns and {0} rows, not {1} x {2}", least, domain[0].size(),
                     domain[1].size()),
         "write larger frames, or grey ones as a .y4m file");
}

void check_h264(const std::string& path, const Box& domain, ElementType type) {
  if (type != ElementType::uint8)
    fail(path, "H.264 is written with 8 bits a sample only", "write uint8, or FFV1 in an .mkv file");
  if (domain[0].size() % 2 != 0 || domain[1].size() % 2 != 0)
    fail(path,
         fmt::format("H.264 takes even numbers of columns and rows only, not {} x {}", domain[0].size(),
                     domain[1].size()),
         "crop the frames, or write FFV1 in an .mkv file");
}

/// Returns the encoding for frames of `domain` and `type` in a file with the name `path`. Throws InputError
/// when `codec` or the ending of the name is not suitable for them.
VideoEncoding choose_encoding(const std::string& path, const Box& domain, ElementType type,
                              VideoCodec codec) {
  check_frames(path, domain, type);
  const std::string ending = lower_case_ending(path);
  const bool is_grey = domain.dimensions == 2;
  const char* container = ending == ".mp4" ? "mp4" : "matroska";
  const AVPixelFormat lossless = lossless_format(is_grey, type);
  switch (codec_of(path, ending, codec)) {
    case VideoCodec::y4m:
      if (!is_grey) fail(path, "a Y4M file holds grey frames, not RGB", "write an .mkv file");
      return {"yuv4mpegpipe", "wrapped_avframe", lossless, lossless};
    case VideoCodec::h264:
      check_h264(path, domain, type);
      return {container, "libx264", is_grey ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_GBRP, AV_PIX_FMT_YUV420P};
    default:
      check_ffv1(path, domain);
      return {container, "ffv1", lossless, lossless};
  }
}

/// Encodes frames into a file that has a temporary name until it is complete.
class FfmpegWriting final : public VideoWriter {
 public:
  FfmpegWriting(const std::string& path, const Box& domain, ElementType type, FrameRate rate,
                const VideoOptions& options)
      : path_(path),
        domain_(domain),
        type_(type),
        encoding_(choose_encoding(path, domain, type, options.codec)),
        file_(MPI_COMM_SELF, path),
        rate_{ticks(path, rate, rate.numerator), ticks(path, rate, rate.denominator)},
        packet_(allocated(av_packet_alloc())),
        frame_(make_frame(encoding_.given, static_cast<int>(domain[0].size()),
                          static_cast<int>(domain[1].size()))) {
    if (encoding_.container == std::string_view("matroska")) check_matroska_rate(path, rate);
    const AVCodec* codec = avcodec_find_encoder_by_name(encoding_.encoder);
    if (codec == nullptr)
      fail(path, fmt::format("this FFmpeg lacks the encoder {}", encoding_.encoder),
           "install an FFmpeg that has it, or write FFV1 in an .mkv file");
    open_codec(*codec, options.threads);
    open_container();
  }

  void write(const HostBlock& frame) override {
    check_block(frame, type_, domain_);
    if (!(frame.box == domain_))
      throw InternalError(fmt::format("{}: a block {} is not the whole frame {}", path_, to_string(frame.box),
                                      to_string(domain_)));
    begin_call();
    HostBlock from_0 = frame;
    for (int d = 0; d < domain_.dimensions; ++d) from_0.box[d] = {0, domain_[d].size()};
    // The encoder may still use the memory of the frame before.
    if (av_frame_make_writable(frame_.get()) < 0) throw std::bad_alloc();
    write_samples(from_0, *frame_);
    if (encoding_.given != encoding_.encoded && !converter_)
      converter_.emplace(*frame_, encoding_.encoded, Ycbcr{codec_->colorspace, false});
    AVFrame& encoded = converter_ ? converter_->convert(*frame_) : *frame_;
    encoded.pts = frames_;
    encode(&encoded);
    ++frames_;
    is_open_ = true;
  }

  std::int64_t frames() const override { return frames_; }

  /// Writes what the encoder still has, and the end of the file.
  void finish() override {
    begin_call();
    if (frames_ == 0) fail(path_, "a video needs at least one frame", "write frames before the video ends");
    encode(nullptr);
    check_written(av_write_trailer(container_.get()));
    check_written(avio_closep(&container_->pb));
    file_.complete();
  }

 private:
  /// Throws InternalError after `finish` and after an error. Until a call has succeeded, the video counts as
  /// one with an error.
  void begin_call() {
    if (!is_open_) throw InternalError(fmt::format("{}: a video that is finished or failed is used", path_));
    is_open_ = false;
  }

  void open_codec(const AVCodec& codec, int threads) {
    codec_.reset(allocated(avcodec_alloc_context3(&codec)));
    errors_.watch(*codec_);
    codec_->width = frame_->width;
    codec_->height = frame_->height;
    codec_->pix_fmt = encoding_.encoded;
    codec_->time_base = {rate_.den, rate_.num};
    codec_->framerate = rate_;
    codec_->thread_count = threads;
    codec_->flags |= AV_CODEC_FLAG_BITEXACT;
    codec_->color_range = AVCOL_RANGE_JPEG;
    if (codec.id == AV_CODEC_ID_H264) {
      codec_->color_range = AVCOL_RANGE_MPEG;
      codec_->colorspace = AVCOL_SPC_BT709;
      av_opt_set(codec_->priv_data, "crf", "18", 0);
    }
    if (codec.id == AV_CODEC_ID_FFV1) {
      codec_->level = 3;     // the version whose slices have checksums
      codec_->gop_size = 1;  // every frame can be decoded alone
      codec_->thread_type = FF_THREAD_SLICE;
      av_opt_set_int(codec_->priv_data, "slicecrc", 1, 0);
    }
    // MP4 and MKV keep what describes the whole video in their headers.
    if (codec.id != AV_CODEC_ID_WRAPPED_AVFRAME) codec_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    const int error = avcodec_open2(codec_.get(), &codec, nullptr);
    if (error < 0)
      fail(path_,
           fmt::format("the encoder {} refuses these frames ({})", codec.name, errors_.take_or_text(error)),
           "write another format");
  }

  void open_container() {
    AVFormatContext* container = nullptr;
    if (avformat_alloc_output_context2(&container, nullptr, encoding_.container, nullptr) < 0)
      fail(path_, fmt::format("this FFmpeg does not write {}", encoding_.container), "write another format");
    container_.reset(container);
    errors_.watch(*container);
    container->flags |= AVFMT_FLAG_BITEXACT;
    container->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;  // for Y4M of 16 bits
    AVStream& stream = *allocated(avformat_new_stream(container, nullptr));
    stream.time_base = codec_->time_base;
    stream.avg_frame_rate = rate_;
    if (avcodec_parameters_from_context(stream.codecpar, codec_.get()) < 0) throw std::bad_alloc();
    check_written(avio_open(&container->pb, ("file:" + file_.temporary_path()).c_str(), AVIO_FLAG_WRITE));
    check_written(avformat_write_header(container, nullptr));
  }

  /// Encodes the frame, or what the encoder still has if `frame` is null, and writes the packets.
  void encode(const AVFrame* frame) {
    int error = avcodec_send_frame(codec_.get(), frame);
    while (error >= 0) {
      error = avcodec_receive_packet(codec_.get(), packet_.get());
      if (error >= 0) write_packet();
    }
    if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return;
    throw InternalError(
        fmt::format("{}: frame {} cannot be encoded ({})", path_, frames_, errors_.take_or_text(error)));
  }

  void write_packet() {
    packet_->stream_index = 0;
    packet_->duration = 1;
    av_packet_rescale_ts(packet_.get(), codec_->time_base, container_->streams[0]->time_base);
    check_written(av_write_frame(container_.get(), packet_.get()));
    av_packet_unref(packet_.get());
  }

  /// Throws InputError if a function that writes the file has returned an error.
  void check_written(int error) {
    if (error >= 0) return;
    fail(path_,
         fmt::format("cannot be written at frame {}, counted from 0 ({})", frames_,
                     errors_.take_or_text(error)),
         "free some space, or choose another place");
  }

  std::string path_;
  Box domain_;
  ElementType type_;
  VideoEncoding encoding_;
  UnfinishedFile file_;  // declared before `container_`, which closes the file first
  AVRational rate_;
  FfmpegErrors errors_;  // declared before what it watches, so that it is destroyed last
  FfmpegContainer container_;
  FfmpegCodec codec_;
  FfmpegPacket packet_;
  FfmpegFrame frame_;
  std::optional<FrameConverter> converter_;
  /// The number of frames that were written.
  std::int64_t frames_ = 0;
  bool is_open_ = true;
};

/// Begins a video with FFmpeg (see create_video).
std::unique_ptr<VideoWriter> create_with_ffmpeg(const std::string& path, const Box& domain, ElementType type,
                                                FrameRate rate, const VideoOptions& options) {
  return std::make_unique<FfmpegWriting>(path, domain, type, rate, options);
}

}  // namespace
}  // namespace tessera::io::detail

const tessera::io::detail::VideoBackend* tessera_ffmpeg_backend() {
  using namespace tessera::io::detail;
  static constexpr VideoBackend backend = {open_with_ffmpeg, create_with_ffmpeg};
  return &backend;
}
