// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/video_encoder.hpp"
#include "tessera/io/video.hpp"

namespace tessera::io {

class VideoWriter::Content {
 public:
  Content(const std::string& path, const Box& domain, ElementType type, FrameRate rate,
          const VideoOptions& options)
      : domain_(domain),
        type_(type),
        encoding_(detail::choose_encoding(path, domain, type, options.codec)),
        file_(MPI_COMM_SELF, path),
        encoder_(file_, encoding_, domain, rate, options.threads) {}

  void write(const HostBlock& frame) {
    detail::check_block(frame, type_, domain_);
    if (!(frame.box == domain_))
      throw InternalError(fmt::format("{}: a block {} is not the whole frame {}", file_.path(),
                                      to_string(frame.box), to_string(domain_)));
    begin_call();
    HostBlock from_0 = frame;
    for (int d = 0; d < domain_.dimensions; ++d) from_0.box[d] = {0, domain_[d].size()};
    encoder_.write(from_0);
    is_open_ = true;
  }

  void finish() {
    begin_call();
    if (encoder_.frames() == 0)
      detail::fail(file_.path(), "a video needs at least one frame", "write frames before the video ends");
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
  detail::VideoEncoding encoding_;
  detail::UnfinishedFile file_;  // declared before `encoder_`, which closes the file first
  detail::VideoEncoder encoder_;
  bool is_open_ = true;
};

VideoWriter::VideoWriter(const std::string& path, const Box& domain, ElementType type, FrameRate rate,
                         const VideoOptions& options)
    : content_(std::make_unique<Content>(path, domain, type, rate, options)) {}
VideoWriter::~VideoWriter() = default;
void VideoWriter::write(const HostBlock& frame) { content_->write(frame); }
void VideoWriter::finish() { content_->finish(); }

}  // namespace tessera::io
