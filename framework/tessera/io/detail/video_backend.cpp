// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/video_backend.hpp"

#include "tessera/io/detail/built_formats.hpp"

#ifdef TESSERA_VIDEO_LIBRARY
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "tessera/domain/error.hpp"
#endif

namespace tessera::io::detail {

const bool has_video = true;

#ifdef TESSERA_VIDEO_LIBRARY

namespace {

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

}  // namespace

const VideoBackend& video_backend() {
  static const VideoBackend& backend = load_backend();
  return backend;
}

#else

const VideoBackend& video_backend() { return *tessera_ffmpeg_backend(); }

#endif

}  // namespace tessera::io::detail
