// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/ffmpeg/ffmpeg.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <set>
#include <utility>

extern "C" {
#include <libavutil/pixdesc.h>
}

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

}  // namespace tessera::io::detail
