// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/formats.hpp"

#include <map>

#include "io/io_test_support.hpp"
#include "tessera/io/checkpoint_file.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/io/video.hpp"

namespace tessera::io_test {
namespace {

/// The formats that this build has, and those that it lacks, as CMake lists them: "PNG, TIFF".
const std::string built = TESSERA_TEST_FORMATS_BUILT;
const std::string lacking = TESSERA_TEST_FORMATS_LACKING;

bool lacks(const std::string& format) { return lacking.find(format) != std::string::npos; }

/// What the call throws as InputError, or nothing.
std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string expected(const std::string& path, const std::string& format, const std::string& way_out) {
  return path + ": this Tessera was built without " + format + "; configure it with -DTESSERA_" + format +
         "=ON, or " + way_out;
}

TEST(Formats, TextListsThoseThatAreBuiltAndThenTheOthers) {
  std::string text = built;
  if (!lacks("HDF5")) text.replace(text.find("HDF5"), 4, "HDF5 " + io::hdf5_version());
  if (!text.empty() && !lacking.empty()) text += ", ";
  if (!lacking.empty()) text += "without " + lacking;
  EXPECT_EQ(io::formats_text(), "formats: " + text);
}

TEST(Formats, AFileOfOneThatIsLackingIsKnownByItsContent) {
  using namespace std::string_literals;
  const SharedFolder folder;
  const std::map<std::string, std::string> beginnings = {{"HDF5", "\x89HDF\r\n\x1a\n"s},
                                                         {"PNG", "\x89PNG\r\n\x1a\n"s},
                                                         {"TIFF", "II*\0"s},
                                                         {"JPEG", "\xff\xd8\xff"s},
                                                         {"FITS", "SIMPLE  "s}};
  for (const auto& [format, beginning] : beginnings) {
    const std::string path = folder / format;
    on_rank_0([&, &bytes = beginning] { std::ofstream(path, std::ios::binary) << bytes; });
    const std::string message = message_of([&] { io::inspect_image(path); });
    EXPECT_NE(message, "");
    EXPECT_EQ(message == expected(path, format, "convert the file"), lacks(format)) << message;
  }
}

TEST(Formats, OneThatIsLackingIsNotWritten) {
  const SharedFolder folder;
  const Box domain{{0, 4}, {0, 4}};
  const std::string path = folder / "out";
  const std::map<std::string, std::function<void()>> sinks = {
      {"PNG", [&] { io::create_png(MPI_COMM_WORLD, path, domain, ElementType::uint8); }},
      {"TIFF", [&] { io::create_tiff(MPI_COMM_WORLD, path, domain, ElementType::uint8); }},
      {"HDF5", [&] { io::create_hdf5(MPI_COMM_WORLD, path, "a", domain, ElementType::uint8); }}};
  for (const auto& [format, create] : sinks) {
    const std::string wanted = lacks(format) ? expected(path, format, "write another format") : "";
    EXPECT_EQ(message_of(create), wanted);
  }
}

TEST(Formats, VideosNeedTheirLibraries) {
  const SharedFolder folder;
  const std::string path = folder / "video-" + std::to_string(rank()) + ".y4m";
  const Box domain{{0, 4}, {0, 4}};
  const std::string unwritten = message_of([&] { io::VideoWriter(path, domain, ElementType::uint8, {}); });
  EXPECT_EQ(unwritten, lacks("VIDEO") ? expected(path, "VIDEO", "write another format") : "");
  const std::string unread = message_of([&] { io::VideoReader reader(path); });
  EXPECT_EQ(unread, lacks("VIDEO") ? expected(path, "VIDEO", "convert the file")
                                   : path + ": no such file; give the path of a video");
}

TEST(Formats, CheckpointsNeedHdf5) {
  const SharedFolder folder;
  const std::string path = folder / "checkpoint";
  const std::string wanted =
      lacks("HDF5") ? path +
                          ": checkpoints need HDF5, which this Tessera was built without; configure it "
                          "with -DTESSERA_HDF5=ON, or leave checkpoints out"
                    : "";
  EXPECT_EQ(message_of([&] { io::CheckpointWriter(MPI_COMM_WORLD, path); }), wanted);
}

}  // namespace
}  // namespace tessera::io_test
