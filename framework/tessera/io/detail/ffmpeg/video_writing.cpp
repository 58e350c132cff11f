// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/ffmpeg/open_videos.hpp"
#include "tessera/io/detail/ffmpeg/video_encoder.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/video.hpp"

namespace tessera::io::detail {
namespace {

class FfmpegWriting : public VideoWriting {
 public:
  FfmpegWriting(const std::string& path, const Box& domain, ElementType type, FrameRate rate,
                const VideoOptions& options)
      : domain_(domain),
        type_(type),
        encoding_(choose_encoding(path, domain, type, options.codec)),
        file_(MPI_COMM_SELF, path),
        encoder_(file_, encoding_, domain, rate, options.threads) {}

  void write(const HostBlock& frame) override {
    check_block(frame, type_, domain_);
    if (!(frame.box == domain_))
      throw InternalError(fmt::format("{}: a block {} is not the whole frame {}", file_.path(),
                                      to_string(frame.box), to_string(domain_)));
    begin_call();
    HostBlock from_0 = frame;
    for (int d = 0; d < domain_.dimensions; ++d) from_0.box[d] = {0, domain_[d].size()};
    encoder_.write(from_0);
    is_open_ = true;
  }

  void finish() override {
    begin_call();
    if (encoder_.frames() == 0)
      fail(file_.path(), "a video needs at least one frame", "write frames before the video ends");
    encoder_.finish();
    file_.complete();
  }

 private:
  /// Throws InternalError after `finish` and after an error. Until a call has succeeded, the video counts as
  /// one with an error.
  void begin_call() {
    if (!is_open_)
      throw InternalError(fmt::format("{}: a video that is finished or failed is used", file_.path()));
    is_open_ = false;
  }

  Box domain_;
  ElementType type_;
  VideoEncoding encoding_;
  UnfinishedFile file_;  // declared before `encoder_`, which closes the file first
  VideoEncoder encoder_;
  bool is_open_ = true;
};

}  // namespace

std::unique_ptr<VideoWriting> create_with_ffmpeg(const std::string& path, const Box& domain, ElementType type,
                                                 FrameRate rate, const VideoOptions& options) {
  return std::make_unique<FfmpegWriting>(path, domain, type, rate, options);
}

}  // namespace tessera::io::detail
