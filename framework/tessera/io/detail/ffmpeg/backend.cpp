// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/ffmpeg/open_videos.hpp"

const tessera::io::detail::VideoBackend* tessera_ffmpeg_backend() {
  using namespace tessera::io::detail;
  static constexpr VideoBackend backend = {open_with_ffmpeg, create_with_ffmpeg};
  return &backend;
}
