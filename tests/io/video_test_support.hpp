// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "io/io_test_support.hpp"
#include "messages.hpp"
#include "tessera/io/video.hpp"

// Helpers of the tests of videos.
namespace tessera::io_test {

/// The sample that the tests put at a point of a frame.
template <class T>
T video_pixel(std::int64_t frame, std::int64_t x, std::int64_t y, std::int64_t c) {
  return pixel<T>(x + 1000 * frame, y, c);
}

template <class T>
OwnedBlock<T> video_frame(const Box& domain, std::int64_t frame, Layout layout = Layout::packed) {
  OwnedBlock<T> owned(domain, layout);
  owned.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, T& value) {
    value = video_pixel<T>(frame, x, y, c);
  });
  return owned;
}

template <class T>
void write_video(const std::string& path, const Box& domain, int frames, const io::VideoOptions& options = {},
                 io::FrameRate rate = {}, Layout layout = Layout::packed) {
  const auto video = io::create_video(path, domain, element_type_of<T>(), rate, options);
  io::VideoWriter& writer = *video;
  for (int frame = 0; frame < frames; ++frame) writer.write(video_frame<T>(domain, frame, layout).block());
  writer.finish();
}

/// Reads all frames, and returns their number. Expects each to be what `write_video` writes.
template <class T>
int read_video(const std::string& path, Layout layout = Layout::packed, int threads = 1) {
  const auto video = io::open_video(path, io::VideoColour::as_stored, threads);
  io::VideoReader& reader = *video;
  for (int frame = 0;; ++frame) {
    OwnedBlock<T> block(reader.info().domain, layout);
    if (!reader.read(block.block())) return frame;
    std::int64_t wrong = block.changed_padding();
    block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, T& value) {
      wrong += value != video_pixel<T>(frame, x, y, c);
    });
    EXPECT_EQ(wrong, 0) << "frame " << frame;
  }
}

/// Expects `task` to throw an InputError that names the file at `path`, with these words.
inline void expect_file_error(const std::function<void()>& task, const std::string& path,
                              std::vector<std::string> words,
                              test::SourceLine caller = test::SourceLine::here()) {
  try {
    task();
    ADD_FAILURE_AT(caller.file, caller.line) << "nothing was thrown";
  } catch (const InputError& error) {
    words.push_back("FILE: ");
    test::expect_message(test::replaced(error.what(), path, "FILE"), words, caller);
  }
}

}  // namespace tessera::io_test
