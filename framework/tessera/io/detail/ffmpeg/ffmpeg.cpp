// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/ffmpeg/ffmpeg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"

namespace tessera::io::detail {
namespace {

/// The objects of FfmpegErrors that exist. FFmpeg has one function for the messages of the whole process,
/// which any thread may call, also about objects of other libraries.
struct LiveErrors {
  std::mutex mutex;
  std::set<const void*> objects;
};

LiveErrors& live_errors() {
  static LiveErrors errors;
  return errors;
}

/// Returns the `opaque` pointer of the container or codec that a message is about, or null. Messages about a
/// part of a container or codec lead to the whole through the parents of FFmpeg's classes. Codecs copy
/// `opaque` for their threads.
void* watcher_of(void* context) {
  while (context != nullptr) {
    const AVClass* type = *static_cast<const AVClass**>(context);
    if (type == nullptr) return nullptr;
    if (type == avformat_get_class()) return static_cast<AVFormatContext*>(context)->opaque;
    if (type == avcodec_get_class()) return static_cast<AVCodecContext*>(context)->opaque;
    if (type->parent_log_context_offset == 0) return nullptr;
    context = *reinterpret_cast<void**>(static_cast<char*>(context) + type->parent_log_context_offset);
  }
  return nullptr;
}

/// A row of samples of one component, in the format of FFmpeg.
struct ComponentRow {
  const AVPixFmtDescriptor& format;
  int component;
  const AVFrame& frame;
  int x;
  int y;

  /// Returns whether each sample is an element of `bytes` bytes, and not some bits of a larger word.
  bool has_elements_of(std::size_t bytes) const {
    const AVComponentDescriptor& samples = format.comp[component];
    constexpr bool is_little = std::endian::native == std::endian::little;
    const bool is_native = bytes == 1 || ((format.flags & AV_PIX_FMT_FLAG_BE) == 0) == is_little;
    const bool is_whole = step() == bytes || samples.depth == static_cast<int>(8 * bytes);
    return is_native && is_whole && samples.shift == 0;
  }

  /// The number of bytes from one sample to the next.
  std::size_t step() const { return static_cast<std::size_t>(format.comp[component].step); }

  std::byte* address() const {
    const AVComponentDescriptor& samples = format.comp[component];
    std::uint8_t* row = frame.data[samples.plane] + std::ptrdiff_t{y} * frame.linesize[samples.plane];
    return reinterpret_cast<std::byte*>(row + std::ptrdiff_t{x} * samples.step + samples.offset);
  }
};

/// Calls use(row, points, address) for each row of the block. `row` is the row of a component of `frame`, and
/// `address` that of its first point in the block.
template <class Use>
void for_each_component_row(const AVFrame& frame, const HostBlock& block, const Use& use) {
  const AVPixFmtDescriptor& format = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const Range channels = channels_of(block.box);
  for (std::int64_t c = channels.begin; c < channels.end; ++c)
    for (std::int64_t y = block.box[1].begin; y < block.box[1].end; ++y) {
      const ComponentRow row{format, static_cast<int>(c), frame, static_cast<int>(block.box[0].begin),
                             static_cast<int>(y)};
      use(row, static_cast<std::size_t>(block.box[0].size()), row_address(block, block.box[0].begin, y, c));
    }
}

/// Copies elements of type T. The steps are the numbers of bytes from one element to the next.
template <class T>
void copy_elements(const std::byte* from, std::size_t from_step, std::byte* to, std::size_t to_step,
                   std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, sizeof(T));
}

/// Copies elements of `bytes` bytes, which are 1 or 2.
void copy_elements_of(std::size_t bytes, const std::byte* from, std::size_t from_step, std::byte* to,
                      std::size_t to_step, std::size_t count) {
  if (from_step == bytes && to_step == bytes)
    std::memcpy(to, from, count * bytes);
  else if (bytes == 1)
    copy_elements<std::uint8_t>(from, from_step, to, to_step, count);
  else
    copy_elements<std::uint16_t>(from, from_step, to, to_step, count);
}

}  // namespace

void FreeFfmpeg::operator()(AVFormatContext* container) const {
  if (container->iformat != nullptr) {
    avformat_close_input(&container);
    return;
  }
  avio_closep(&container->pb);
  avformat_free_context(container);
}

FfmpegFrame make_frame(AVPixelFormat format, int width, int height) {
  FfmpegFrame frame(allocated(av_frame_alloc()));
  frame->format = format;
  frame->width = width;
  frame->height = height;
  if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc();
  return frame;
}

std::string ffmpeg_text(int error) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(error, text.data(), text.size());
  return text.data();
}

std::string pixel_format_name(AVPixelFormat format) {
  const char* name = av_get_pix_fmt_name(format);
  return name == nullptr ? "unknown" : name;
}

FfmpegErrors::FfmpegErrors() {
  const std::lock_guard lock(live_errors().mutex);
  live_errors().objects.insert(this);
  av_log_set_callback(on_message);
}

FfmpegErrors::~FfmpegErrors() {
  const std::lock_guard lock(live_errors().mutex);
  live_errors().objects.erase(this);
}

void FfmpegErrors::on_message(void* context, int level, const char* format, va_list arguments) {
  if (level > AV_LOG_ERROR) return;
  void* watcher = watcher_of(context);
  const std::lock_guard lock(live_errors().mutex);
  if (!live_errors().objects.contains(watcher)) return;
  std::string& first = static_cast<FfmpegErrors*>(watcher)->first_;
  if (!first.empty()) return;
  std::array<char, 256> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  first = text.data();
  while (!first.empty() && (first.back() == '\n' || first.back() == '.')) first.pop_back();
}

std::string FfmpegErrors::take() {
  const std::lock_guard lock(live_errors().mutex);
  return std::exchange(first_, {});
}

std::string FfmpegErrors::take_or_text(int error) {
  const std::string message = take();
  return message.empty() ? ffmpeg_text(error) : message;
}

void read_samples(const AVFrame& frame, const HostBlock& to) {
  if (to.box.empty()) return;
  const std::size_t bytes = size_of(to.type);
  std::vector<std::uint16_t> line(static_cast<std::size_t>(to.box[0].size()));
  for_each_component_row(frame, to, [&](const ComponentRow& row, std::size_t points, std::byte* address) {
    if (row.has_elements_of(bytes)) {
      copy_elements_of(bytes, row.address(), row.step(), address, bytes, points);
      return;
    }
    const std::uint8_t* planes[] = {frame.data[0], frame.data[1], frame.data[2], frame.data[3]};
    av_read_image_line2(line.data(), planes, frame.linesize, &row.format, row.x, row.y, row.component,
                        static_cast<int>(points), 0, sizeof(std::uint16_t));
    if (bytes == 1)
      std::transform(line.begin(), line.end(), reinterpret_cast<std::uint8_t*>(address),
                     [](std::uint16_t sample) { return static_cast<std::uint8_t>(sample); });
    else
      std::memcpy(address, line.data(), points * bytes);
  });
}

void write_samples(const HostBlock& from, AVFrame& frame) {
  const std::size_t bytes = size_of(from.type);
  for_each_component_row(frame, from, [&](const ComponentRow& row, std::size_t points, std::byte* address) {
    copy_elements_of(bytes, address, bytes, row.address(), row.step(), points);
  });
}

Ycbcr ycbcr_of(const AVFrame& frame) {
  // Some pixel formats, such as yuvj420p, have the full range by definition.
  const bool is_full = frame.color_range == AVCOL_RANGE_JPEG ||
                       pixel_format_name(static_cast<AVPixelFormat>(frame.format)).starts_with("yuvj");
  return {frame.colorspace, is_full};
}

FrameConverter::FrameConverter(const AVFrame& from, AVPixelFormat to, const Ycbcr& ycbcr)
    : result_(make_frame(to, from.width, from.height)) {
  constexpr int flags =
      SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;
  const auto from_format = static_cast<AVPixelFormat>(from.format);
  scaler_.reset(sws_getContext(from.width, from.height, from_format, from.width, from.height, to, flags,
                               nullptr, nullptr, nullptr));
  if (!scaler_)
    throw InternalError(
        fmt::format("no conversion from {} to {}", pixel_format_name(from_format), pixel_format_name(to)));
  const AVPixFmtDescriptor& description = *av_pix_fmt_desc_get(from_format);
  const bool is_from_ycbcr = (description.flags & AV_PIX_FMT_FLAG_RGB) == 0 && description.nb_components > 1;
  const int from_is_full = !is_from_ycbcr || ycbcr.has_full_range ? 1 : 0;
  const int to_is_full = is_from_ycbcr || ycbcr.has_full_range ? 1 : 0;
  const int* matrix = sws_getCoefficients(ycbcr.matrix);
  constexpr int one = 1 << 16;
  sws_setColorspaceDetails(scaler_.get(), matrix, from_is_full, matrix, to_is_full, 0, one, one);
}

AVFrame& FrameConverter::convert(const AVFrame& from) {
  if (av_frame_make_writable(result_.get()) < 0) throw std::bad_alloc();
  sws_scale(scaler_.get(), from.data, from.linesize, 0, from.height, result_->data, result_->linesize);
  return *result_;
}

}  // namespace tessera::io::detail
