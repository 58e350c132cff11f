// SPDX-License-Identifier: BSD-3-Clause
// The library for videos is loaded by the programs that use a video, and by no others.
#include <gtest/gtest.h>

#include <filesystem>

#include "io/plain_png.hpp"
#include "rank_processes.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

const std::string header = "YUV4MPEG2 W4 H3 F25:1 Ip A1:1 Cmono\n";

void write_inputs(const Folder& folder) {
  io_test::write_plain_png(
      folder / "image.png",
      io_test::make_png(4, 3, PNG_COLOR_TYPE_GRAY, 8, [](auto x, auto y, int) { return x + y; }));
  folder.write("clip.y4m", header + "FRAME\n" + std::string(12, 'a'));
}

/// The lines that the dynamic linker writes about FFmpeg's libraries.
std::vector<std::string> loaded_from_ffmpeg(const ParallelEnding& ending) {
  return lines_with(ending.errors, "calling init: ").empty()
             ? std::vector<std::string>{"the linker wrote nothing"}
             : lines_with(ending.errors, "libavcodec.so");
}

TEST(VideoLibraryTest, OnlyProgramsWithVideosLoadFfmpeg) {
  const Folder folder;
  write_inputs(folder);
  const Environment watched = {{"LD_DEBUG", "libs"}};
  const ParallelEnding image =
      run_on_ranks(program_of("sobel"), 1, folder, {"input.file=image.png", "output.png=edges.png"}, watched);
  EXPECT_EQ(image.status, 0);
  EXPECT_EQ(loaded_from_ffmpeg(image), std::vector<std::string>());
  const ParallelEnding video =
      run_on_ranks(program_of("sobel"), 1, folder, {"input.video=clip.y4m", "output.video=out.y4m"}, watched);
  EXPECT_EQ(video.status, 0);
  EXPECT_FALSE(loaded_from_ffmpeg(video).empty());
}

TEST(VideoLibraryTest, AMissingLibraryIsOneLineAndOnlyVideosNeedIt) {
  const Folder folder, libraries;
  write_inputs(folder);
  std::filesystem::copy(TESSERA_APP_LIBRARY, libraries / TESSERA_APP_NAME);
  const Environment without = {{"LD_LIBRARY_PATH", libraries / "."}};
  for (const int ranks : {1, 3}) {
    const ParallelEnding video = run_on_ranks(program_of("sobel"), ranks, folder,
                                              {"input.video=clip.y4m", "output.video=out.y4m"}, without);
    EXPECT_EQ(video.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2)) << video.text();
    EXPECT_EQ(lines_with(video.errors,
                         "videos can be neither read nor written, because the library for them "
                         "cannot be loaded (")
                  .size(),
              1U)
        << video.errors;
    EXPECT_FALSE(folder.names().contains("out.y4m"));
    const ParallelEnding image = run_on_ranks(program_of("sobel"), ranks, folder,
                                              {"input.file=image.png", "output.png=edges.png"}, without);
    EXPECT_EQ(image.status, 0) << image.text();
  }
}

}  // namespace
}  // namespace tessera::app_test
