// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/video.hpp"

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/video_backend.hpp"

#ifdef TESSERA_VIDEO_LIBRARY
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "tessera/domain/error.hpp"
#endif

namespace tessera::io {
namespace {

using namespace detail;

#if defined TESSERA_WITHOUT_VIDEO

const VideoBackend& video_backend() {
  static constexpr VideoBackend backend = {
      [](const std::string& path, VideoColour, int) -> std::unique_ptr<VideoReading> {
        fail_to_read_without(path, "VIDEO");
      },
      [](const std::string& path, const Box&, ElementType, FrameRate,
         const VideoOptions&) -> std::unique_ptr<VideoWriting> { fail_to_write_without(path, "VIDEO"); }};
  return backend;
}

#elif defined TESSERA_VIDEO_LIBRARY

/// Returns the path of the library for videos. It lies in the folder of the library that has this function.
std::string library_path() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&library_path), &own) == 0 || own.dli_fname == nullptr)
    return TESSERA_VIDEO_LIBRARY;
  return std::filesystem::path(own.dli_fname).replace_filename(TESSERA_VIDEO_LIBRARY);
}

const VideoBackend& load_backend() {
  const std::string path = library_path();
  void* library = dlopen(path.c_str(), RTLD_NOW);
  void* function = library == nullptr ? nullptr : dlsym(library, "tessera_ffmpeg_backend");
  if (function == nullptr)
    throw InputError(
        fmt::format("videos can be neither read nor written, because the library for them cannot be "
                    "loaded ({}): install FFmpeg's libraries and all of Tessera's",
                    dlerror()));
  return *reinterpret_cast<decltype(&tessera_ffmpeg_backend)>(function)();
}

/// Returns the functions that open videos. Where Tessera consists of shared libraries, the first call loads
/// them: FFmpeg needs some hundred other libraries, and loading these takes longer than most small images
/// need. Throws InputError if the library cannot be loaded.
const VideoBackend& video_backend() {
  static const VideoBackend& backend = load_backend();
  return backend;
}

#else

const VideoBackend& video_backend() { return *tessera_ffmpeg_backend(); }

#endif

}  // namespace

#ifdef TESSERA_WITHOUT_VIDEO
const bool detail::has_video = false;
#else
const bool detail::has_video = true;
#endif

VideoReader::VideoReader(const std::string& path, VideoColour colour, int threads)
    : reading_(video_backend().open(path, colour, threads)) {}
VideoReader::~VideoReader() = default;
const VideoInfo& VideoReader::info() const { return reading_->info(); }
bool VideoReader::read(const HostBlock& frame) { return reading_->read(frame); }

VideoWriter::VideoWriter(const std::string& path, const Box& domain, ElementType type, FrameRate rate,
                         const VideoOptions& options)
    : writing_(video_backend().create(path, domain, type, rate, options)) {}
VideoWriter::~VideoWriter() = default;
void VideoWriter::write(const HostBlock& frame) {
  writing_->write(frame);
  ++frames_;
}
void VideoWriter::finish() { writing_->finish(); }

}  // namespace tessera::io
