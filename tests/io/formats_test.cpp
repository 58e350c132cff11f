// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/formats.hpp"

#include <algorithm>
#include <cctype>
#include <set>

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

/// Returns the message of the InputError that a call throws, or nothing.
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
  const SharedFolder folder;
  for (const io::Format& format : io::formats())
    for (const std::string_view signature : format.signatures) {
      const std::string path = folder / std::string(format.name), library(format.library);
      on_rank_0([&] { write_bytes(path, std::string(signature)); });
      const std::string message = message_of([&] { io::inspect_image(path); });
      EXPECT_NE(message, "");
      EXPECT_EQ(message == expected(path, library, "convert the file"), !library.empty() && lacks(library))
          << message;
    }
}

TEST(Formats, HaveARowEach) {
  for (int i = 0; i <= static_cast<int>(io::ImageFormat::raw); ++i)
    EXPECT_EQ(std::ranges::count(io::formats(), static_cast<io::ImageFormat>(i), &io::Format::id), 1) << i;
  EXPECT_EQ(io::formats().size(), static_cast<std::size_t>(io::ImageFormat::raw) + 1);
}

TEST(Formats, HaveKeysAndEndingsOfTheirOwn) {
  std::set<std::string_view> words;
  for (const io::Format& format : io::formats()) {
    EXPECT_TRUE(words.insert(format.name).second) << format.name;
    EXPECT_TRUE(format.output.empty() || words.insert(format.output).second) << format.output;
    for (const std::string_view ending : format.endings) EXPECT_TRUE(words.insert(ending).second) << ending;
  }
}

/// Formats of the table that are written by create_image, or may be in another build.
std::vector<io::Format> written_formats() {
  std::vector<io::Format> all = io::formats();
  std::erase_if(all, [](const io::Format& format) {
    return format.is_built() ? format.functions.create == nullptr : format.types.empty();
  });
  return all;
}

std::vector<Box> domains() {
  std::vector<Box> all = {{{0, 29}, {0, 17}}};
  for (const std::int64_t channels : {1, 2, 3, 4, 5}) all.push_back({{0, 29}, {0, 17}, {0, channels}});
  return all;
}

class WrittenFormats : public testing::TestWithParam<io::Format> {
 protected:
  void create(const Box& domain, ElementType type) {
    io::create_image(MPI_COMM_WORLD, GetParam().id, path_, domain, type);
  }

  /// Writes 0 and 1, which all formats keep.
  template <class T>
  void write(const Box& domain) {
    OwnedBlock<T> block(part_of(domain, Cut::rows), Layout::padded);
    block.for_each([](std::int64_t x, std::int64_t y, std::int64_t c, T& value) { value = bit(x, y, c); });
    io::create_image(MPI_COMM_WORLD, GetParam().id, path_, domain, element_type_of<T>())
        ->write(block.block());
    MPI_Barrier(MPI_COMM_WORLD);
  }

  /// The description of the file, which is an image of its own format or of a similar one.
  io::ImageInfo inspected(const Box& domain, ElementType type) const {
    if (GetParam().signatures.empty() && GetParam().is_in == nullptr && !io::image_format(path_))
      return io::inspect_raw(path_, {}, type, domain);
    return io::inspect_image(path_);
  }

  void expect_bits(const io::ImageInfo& info) const {
    with_element_type(info.type, [&]<class T>(std::type_identity<T>) {
      OwnedBlock<T> block(part_of(info.domain, Cut::columns));
      io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
      std::int64_t wrong = block.changed_padding();
      block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, T value) {
        wrong += (value != 0) != (bit(x, y, c) != 0) ? 1 : 0;
      });
      EXPECT_EQ(wrong, 0) << name_of(info.type) << " " << to_string(info.domain);
    });
  }

  static int bit(std::int64_t x, std::int64_t y, std::int64_t c) {
    return pixel<std::uint8_t>(x, y, c) % 3 == 0 ? 1 : 0;
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image";
};

INSTANTIATE_TEST_SUITE_P(, WrittenFormats, testing::ValuesIn(written_formats()), [](const auto& each) {
  std::string name(each.param.name);
  std::erase_if(name, [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; });
  return name;
});

TEST_P(WrittenFormats, KeepWhatTheirRowsSayThatTheyHold) {
  if (!GetParam().is_built()) return;
  for (int i = 0; i <= static_cast<int>(ElementType::float64); ++i)
    for (const Box& domain : domains()) {
      const auto type = static_cast<ElementType>(i);
      if (!GetParam().holds(type) || !GetParam().holds(domain)) continue;
      with_element_type(type, [&]<class T>(std::type_identity<T>) { write<T>(domain); });
      const io::ImageInfo info = inspected(domain, type);
      EXPECT_EQ(info.domain.size(), domain.size());
      expect_bits(info);
      MPI_Barrier(MPI_COMM_WORLD);
    }
}

TEST_P(WrittenFormats, RefuseOtherArraysAndThoseThatAreTooLarge) {
  const std::string name(GetParam().name);
  if (!GetParam().is_built()) {
    const std::string wanted = expected(path_, std::string(GetParam().library), "write another format");
    EXPECT_EQ(message_of([&] { create(domains().front(), GetParam().types.front()); }), wanted);
    return;
  }
  const std::vector<ElementType>& types = GetParam().types;
  const ElementType held = types.empty() ? ElementType::uint8 : types.front();
  for (int i = 0; i < element_type_count; ++i) {
    const auto type = static_cast<ElementType>(i);
    if (!GetParam().holds(type))
      expect_input_error(
          [&] { create(domains().front(), type); },
          {path_ + ": " + name + " holds ", ", not " + std::string(name_of(type)), "; write HDF5 instead"});
  }
  std::vector<Box> others = domains();
  others.push_back({{0, 4}});
  others.push_back({{0, 2}, {0, 2}, {0, 3}, {0, 1}});
  for (const Box& domain : others)
    if (!GetParam().holds(domain))
      expect_input_error(
          [&] { create(domain, held); },
          {path_ + ": " + name + " holds images of ", ", not " + to_string(domain), "; write HDF5 instead"});
  if (GetParam().channels.empty()) return;
  for (Box large : {Box{{0, std::int64_t{1} << 31}, {0, 2}}, Box{{0, 2}, {0, std::int64_t{1} << 31}}}) {
    if (GetParam().channels.front() > 1) large.range[large.dimensions++] = {0, GetParam().channels.front()};
    expect_input_error([&] { create(large, held); }, {path_, "is too large for " + name, "write HDF5"});
  }
  EXPECT_EQ(folder_.files(), std::vector<std::string>{});
}

TEST_P(WrittenFormats, AreRefusedWhereTheyEndTooEarly) {
  if (GetParam().functions.open == nullptr) return;
  const Box domain{{0, 29}, {0, 17}, {0, GetParam().channels.empty() ? 1 : GetParam().channels.back()}};
  const ElementType type = GetParam().types.empty() ? ElementType::uint8 : GetParam().types.front();
  with_element_type(type, [&]<class T>(std::type_identity<T>) { write<T>(domain); });
  const std::string bytes = bytes_of(path_);
  for (std::size_t part = 0; part < 16; ++part) {
    on_rank_0([&] { write_bytes(path_, bytes.substr(0, bytes.size() * part / 16)); });
    expect_input_error(
        [&] {
          const io::ImageInfo info = inspected(domain, type);
          with_element_type(info.type, [&]<class T>(std::type_identity<T>) {
            OwnedBlock<T> block(part_of(info.domain, Cut::rows));
            io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
          });
        },
        {path_ + ": "});
  }
}

TEST(Formats, Hdf5IsNotWrittenWithoutItsLibrary) {
  const SharedFolder folder;
  const std::string path = folder / "out";
  const std::string wanted = lacks("HDF5") ? expected(path, "HDF5", "write another format") : "";
  EXPECT_EQ(
      message_of([&] { io::create_hdf5(MPI_COMM_WORLD, path, "a", domains().front(), ElementType::uint8); }),
      wanted);
}

TEST(Formats, VideosNeedTheirLibraries) {
  const SharedFolder folder;
  const std::string path = folder / "video-" + std::to_string(rank()) + ".y4m";
  const Box domain{{0, 4}, {0, 4}};
  const std::string unwritten = message_of([&] { io::create_video(path, domain, ElementType::uint8, {}); });
  EXPECT_EQ(unwritten, lacks("VIDEO") ? expected(path, "VIDEO", "write another format") : "");
  const std::string unread = message_of([&] { io::open_video(path); });
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
  EXPECT_EQ(message_of([&] { io::create_checkpoint(MPI_COMM_WORLD, path); }), wanted);
}

}  // namespace
}  // namespace tessera::io_test
