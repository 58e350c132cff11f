// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/ffmpeg/video_decoder.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

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

/// Returns whether an MP4 or MOV file ends within one of the boxes of which it consists.
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

/// Returns whether an AVI file ends within one of the RIFF chunks of which it consists.
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

}  // namespace

VideoDecoder::VideoDecoder(const std::string& path, int threads)
    : path_(path), packet_(allocated(av_packet_alloc())), frame_(allocated(av_frame_alloc())) {
  open_for_reading(path, "a video");
  open_container();
  choose_stream();
  open_codec(threads);
}

void VideoDecoder::open_container() {
  AVFormatContext* container = allocated(avformat_alloc_context());
  errors_.watch(*container);
  container->format_whitelist = av_strdup(containers);
  container->protocol_whitelist = av_strdup("file");
  // FFmpeg frees the container if it cannot be opened. Without "file:", a colon would end a protocol's name.
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

void VideoDecoder::choose_stream() {
  const int index = av_find_best_stream(container_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  const bool is_found =
      index >= 0 && (container_->streams[index]->disposition & AV_DISPOSITION_ATTACHED_PIC) == 0;
  if (!is_found) fail(path_, "has no video stream", "give the path of a video");
  stream_ = container_->streams[index];
  for (unsigned other = 0; other < container_->nb_streams; ++other)
    if (static_cast<int>(other) != index) container_->streams[other]->discard = AVDISCARD_ALL;
}

void VideoDecoder::open_codec(int threads) {
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
    fail(path_, fmt::format("its compression, {}, cannot be decoded ({})", name, errors_.take_or_text(error)),
         "get a complete copy of the file, or convert it");
}

const AVFrame* VideoDecoder::next() {
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

/// Gives the next packet to the decoder. After the last one, the decoder is told to give what it still has.
void VideoDecoder::give_packet() {
  const bool is_read = damage_.empty() && read_packet();
  const int error = avcodec_send_packet(codec_.get(), is_read ? packet_.get() : nullptr);
  av_packet_unref(packet_.get());
  if (error < 0) fail_at_frame(errors_.take_or_text(error));
}

/// Reads the next packet of the video stream. Returns false at the end of the file or where it is damaged.
bool VideoDecoder::read_packet() {
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
std::string VideoDecoder::problem_at_end() const {
  AVIOContext& file = *container_->pb;
  if (file.error < 0) return ffmpeg_text(file.error);
  bool is_short = packets_ < avformat_index_get_entries_count(stream_);
  if (is_container(*container_, "yuv4mpegpipe")) is_short = position_ != avio_size(&file);
  if (is_container(*container_, "mov")) is_short = is_short || ends_within_box(file);
  if (is_container(*container_, "avi")) is_short = is_short || ends_within_chunk(file);
  return is_short ? "the file ends too early" : "";
}

void VideoDecoder::fail_at_frame(const std::string& reason) const {
  fail(path_, fmt::format("is damaged or truncated at frame {}, counted from 0 ({})", frames_, reason),
       "get a complete copy of the file");
}

std::int64_t VideoDecoder::expected_frames() const {
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

FrameRate VideoDecoder::rate() const {
  AVRational rate = stream_->avg_frame_rate;
  if (rate.num <= 0) rate = stream_->r_frame_rate;
  // In these containers a tick of the clock is a frame.
  const bool is_regular = is_container(*container_, "yuv4mpegpipe") || is_container(*container_, "avi");
  if (rate.num <= 0 && is_regular) rate = av_inv_q(stream_->time_base);
  return rate.num > 0 && rate.den > 0 ? FrameRate{rate.num, rate.den} : FrameRate{0, 1};
}

}  // namespace tessera::io::detail
