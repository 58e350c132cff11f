// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/video.hpp"

#include <utility>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/sinks.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/io/detail/video_backend.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/collectively.hpp"

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
      [](const std::string& path, VideoColour, int) -> std::unique_ptr<VideoReader> {
        fail_without(path, "VIDEO", convert_file);
      },
      [](const std::string& path, const Box&, ElementType, FrameRate, const VideoOptions&)
          -> std::unique_ptr<VideoWriter> { fail_without(path, "VIDEO", write_other_format); }};
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

std::size_t frame_bytes(const Box& domain, ElementType type) {
  return static_cast<std::size_t>(domain.size()) * size_of(type);
}

/// The rows of a frame in memory.
class FrameRows final : public RowReader {
 public:
  explicit FrameRows(const HostBlock& frame) : frame_(frame), next_(frame.box[1].begin) {}

  ElementType type() const override { return frame_.type; }
  Box domain() const override { return frame_.box; }
  void read_row(std::byte* samples) override {
    put_points(frame_, row_of(samples, frame_.type, frame_.box, next_++));
  }
  void finish() override {}

 private:
  HostBlock frame_;
  std::int64_t next_;
};

class FrameSink final : public BlockSink {
 public:
  FrameSink(MPI_Comm communicator, const std::string& path, VideoWriter* writer, const Box& domain,
            ElementType type)
      : writer_(writer), parts_(communicator, path, domain, type) {
    on_rank_0(communicator, [&] { points_.resize(frame_bytes(domain, type)); });
  }

  void write(const HostBlock& block) override { write_part(block, parts_.domain()); }
  void write_part(const HostBlock& block, const Box& part) override {
    parts_.take(block, part);
    Gatherer gatherer(parts_.communicator(), block, parts_.type(), part.size());
    const HostBlock frame = packed_block(points_.data(), parts_.type(), parts_.domain());
    HostBlock target = frame;
    target.data = points_.empty() ? nullptr : address_of(frame, part);
    target.box = part;
    gatherer.gather(target);
    if (!parts_.complete()) return;
    collectively(parts_.communicator(), [&] {
      if (writer_ != nullptr) writer_->write(frame);
    });
  }

 private:
  VideoWriter* writer_;
  Parts parts_;
  /// The points of the frame, on rank 0.
  std::vector<std::byte> points_;
};

}  // namespace

#ifdef TESSERA_WITHOUT_VIDEO
const bool detail::has_video = false;
#else
const bool detail::has_video = true;
#endif

std::unique_ptr<VideoReader> open_video(const std::string& path, VideoColour colour, int threads) {
  return video_backend().open(path, colour, threads);
}

std::unique_ptr<VideoWriter> create_video(const std::string& path, const Box& domain, ElementType type,
                                          FrameRate rate, const VideoOptions& options) {
  return video_backend().create(path, domain, type, rate, options);
}

VideoFrames::VideoFrames(MPI_Comm communicator, std::string path, std::unique_ptr<VideoReader> reader,
                         ImageInfo info)
    : communicator_(communicator),
      path_(std::move(path)),
      reader_(std::move(reader)),
      info_(std::move(info)) {
  collectively(communicator, [&] {
    if (reader_ != nullptr) points_.resize(frame_bytes(info_.domain, info_.type));
  });
}

bool VideoFrames::next() {
  int has_frame = 0;
  collectively(communicator_, [&] {
    if (reader_ != nullptr && reader_->read(packed_block(points_.data(), info_.type, info_.domain)))
      has_frame = 1;
  });
  return from_rank_0(communicator_, has_frame) != 0;
}

std::unique_ptr<BlockSource> VideoFrames::open() {
  return std::make_unique<RowSource>(communicator_, path_, info_, [this](const std::string&) {
    return std::make_unique<FrameRows>(packed_block(points_.data(), info_.type, info_.domain));
  });
}

std::unique_ptr<BlockSink> create_frame(MPI_Comm communicator, const std::string& path, VideoWriter* writer,
                                        const Box& domain, ElementType type) {
  return std::make_unique<FrameSink>(communicator, path, writer, domain, type);
}

}  // namespace tessera::io
