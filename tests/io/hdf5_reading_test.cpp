// SPDX-License-Identifier: BSD-3-Clause
#include <random>

#include "io/io_test_support.hpp"
#include "io/plain_hdf5.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

/// HDF5 files that serial HDF5 wrote, read by Tessera.
class Hdf5Reading : public testing::Test {
 protected:
  template <class T>
  static std::vector<T> values_of(const Box& domain) {
    std::vector<T> values;
    filled<T>(domain).for_each([&](auto, auto, auto, T value) { values.push_back(value); });
    return values;
  }

  /// Adds a data set that holds `pixel` over the domain.
  template <class T>
  void write(const std::string& name, const Box& domain, hid_t memory_type, PlainStorage storage) {
    std::vector<hsize_t> extents;
    for (int d = domain.dimensions - 1; d >= 0; --d)
      extents.push_back(static_cast<hsize_t>(domain[d].size()));
    on_rank_0([&] { write_plain_hdf5(path_, name, extents, values_of<T>(domain), memory_type, storage); });
  }

  /// Reads the only data set cut in every way.
  template <class T>
  void expect_pixels(const Box& domain, const std::string& name) {
    const io::ImageInfo info = io::inspect_image(path_);
    EXPECT_EQ(info.format, io::ImageFormat::hdf5);
    EXPECT_EQ(info.type, element_type_of<T>());
    EXPECT_TRUE(info.domain == domain) << to_string(info.domain);
    EXPECT_EQ(info.dataset, name);
    for (const Cut cut : all_cuts) {
      OwnedBlock<T> block(part_of(domain, cut), Layout::padded);
      io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
      EXPECT_TRUE(holds_pixels(block)) << "cut " << static_cast<int>(cut);
    }
  }

  void expect_refused(const std::string& dataset, const std::vector<std::string>& words) {
    expect_input_error([&] { io::inspect_image(path_, {dataset}); }, words);
    expect_input_error([&] { io::inspect_image(path_, {dataset}); }, {path_});
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.h5";
};

const Box grey{{0, 29}, {0, 17}};
const Box colour{{0, 29}, {0, 17}, {0, 3}};

TEST_F(Hdf5Reading, InAGroup) {
  write<std::uint16_t>("group/deeper/image", colour, H5T_NATIVE_UINT16, {H5T_NATIVE_UINT16, {}});
  expect_pixels<std::uint16_t>(colour, "group/deeper/image");
}

TEST_F(Hdf5Reading, OtherByteOrders) {
  write<std::uint16_t>("image", grey, H5T_NATIVE_UINT16, {H5T_STD_U16BE, {}});
  expect_pixels<std::uint16_t>(grey, "image");
}

TEST_F(Hdf5Reading, FloatsOfOtherByteOrders) {
  write<float>("image", colour, H5T_NATIVE_FLOAT, {H5T_IEEE_F32BE, {}});
  expect_pixels<float>(colour, "image");
}

TEST_F(Hdf5Reading, ChunkedAndCompressed) {
  write<std::uint8_t>("image", colour, H5T_NATIVE_UINT8, {H5T_NATIVE_UINT8, {1, 5, 8}});
  expect_pixels<std::uint8_t>(colour, "image");
}

TEST_F(Hdf5Reading, Chunked) {
  write<std::uint16_t>("image", colour, H5T_NATIVE_UINT16, {H5T_NATIVE_UINT16, {1, 5, 8}, false});
  expect_pixels<std::uint16_t>(colour, "image");
}

TEST_F(Hdf5Reading, AfterAUserBlock) {
  write<float>("image", colour, H5T_NATIVE_FLOAT, {.type = H5T_NATIVE_FLOAT, .user_block = 2048});
  expect_pixels<float>(colour, "image");
}

// The second of two lies elsewhere than the first, and than where a file of one has it.
TEST_F(Hdf5Reading, TheSecondOfTwo) {
  write<std::uint8_t>("first", Box{{0, 77}}, H5T_NATIVE_UINT8, {});
  write<std::int64_t>("image", grey, H5T_NATIVE_INT64, {H5T_NATIVE_INT64});
  expect_pixels<std::int64_t>(grey, "image");
}

TEST_F(Hdf5Reading, FewerRowsAndColumnsThanRanks) {
  const Box small{{0, 3}, {0, 2}};
  for (const PlainStorage& storage : {PlainStorage{H5T_NATIVE_UINT16}, PlainStorage{H5T_STD_U16BE},
                                      PlainStorage{H5T_NATIVE_UINT16, {1, 2}}}) {
    on_rank_0([&] { std::filesystem::remove(path_); });
    write<std::uint16_t>("image", small, H5T_NATIVE_UINT16, storage);
    expect_pixels<std::uint16_t>(small, "image");
  }
}

TEST_F(Hdf5Reading, ValuesInAnotherFile) {
  write<std::uint8_t>("image", grey, H5T_NATIVE_UINT8, {.external = folder_ / "values"});
  expect_pixels<std::uint8_t>(grey, "image");
}

TEST_F(Hdf5Reading, ValuesThatNobodyWrote) {
  for (const PlainStorage& storage : {PlainStorage{}, PlainStorage{.chunk = {5, 8}, .is_compressed = false},
                                      PlainStorage{.chunk = {5, 8}}}) {
    on_rank_0([&] {
      std::filesystem::remove(path_);
      write_plain_hdf5<std::uint8_t>(path_, "image", {17, 29}, {}, H5T_NATIVE_UINT8, storage);
    });
    OwnedBlock<std::uint8_t> block(part_of(grey, Cut::columns));
    io::open_image(MPI_COMM_WORLD, path_, io::inspect_image(path_))->read(block.block());
    block.for_each([](auto, auto, auto, std::uint8_t value) { EXPECT_EQ(value, 0); });
  }
}

// The array behind a link lies elsewhere than one of this file would.
TEST_F(Hdf5Reading, AnExternalLink) {
  const std::string link = path_;
  path_ = folder_ / "target.h5";
  write<std::uint8_t>("first", Box{{0, 77}}, H5T_NATIVE_UINT8, {});
  write<std::uint16_t>("image", grey, H5T_NATIVE_UINT16, {H5T_NATIVE_UINT16});
  path_ = link;
  write<std::uint8_t>("line", Box{{0, 5000}}, H5T_NATIVE_UINT8, {});
  on_rank_0([&] {
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    EXPECT_GE(H5Lcreate_external("target.h5", "/image", file, "linked", H5P_DEFAULT, H5P_DEFAULT), 0);
    H5Fclose(file);
  });
  expect_pixels<std::uint16_t>(grey, "linked");
}

TEST_F(Hdf5Reading, AVirtualDataSet) {
  const std::string all = path_, source = folder_ / "source.h5";
  path_ = source;
  write<std::uint16_t>("part", grey, H5T_NATIVE_UINT16, {H5T_NATIVE_UINT16});
  path_ = all;
  on_rank_0([&] {
    const hsize_t extents[] = {17, 29};
    const hid_t space = H5Screate_simple(2, extents, nullptr), creation = H5Pcreate(H5P_DATASET_CREATE);
    EXPECT_GE(H5Pset_virtual(creation, space, "source.h5", "part", space), 0);
    const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(H5Dcreate2(file, "image", H5T_NATIVE_UINT16, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Fclose(file);
    H5Pclose(creation);
    H5Sclose(space);
  });
  expect_pixels<std::uint16_t>(grey, "image");
  on_rank_0([&] { std::filesystem::remove(source); });
  expect_refused("", {"'image' takes points from 'part' of source.h5, which is missing"});
}

TEST_F(Hdf5Reading, BitFields) {
  write<std::uint8_t>("image", grey, H5T_NATIVE_B8, {H5T_STD_B8LE});
  expect_pixels<std::uint8_t>(grey, "image");
  on_rank_0([&] { std::filesystem::remove(path_); });
  write<std::uint16_t>("image", grey, H5T_NATIVE_B16, {H5T_STD_B16BE, {5, 8}});
  expect_pixels<std::uint16_t>(grey, "image");
}

TEST_F(Hdf5Reading, Booleans) {
  on_rank_0([&] {
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    for (const std::int8_t value : {0, 1}) H5Tenum_insert(type, value == 0 ? "FALSE" : "TRUE", &value);
    std::vector<std::int8_t> values(17 * 29);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 3 == 0 ? 1 : 0;
    write_plain_hdf5(path_, "mask", {17, 29}, values, type, {type});
    H5Tclose(type);
  });
  const io::ImageInfo info = io::inspect_image(path_);
  EXPECT_EQ(info.type, ElementType::int8);
  OwnedBlock<std::int8_t> block(part_of(grey, Cut::columns));
  io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
  block.for_each([](auto x, auto y, auto, std::int8_t value) { EXPECT_EQ(value, (29 * y + x) % 3 == 0); });
}

TEST_F(Hdf5Reading, SeveralDataSetsAreNamed) {
  write<std::uint8_t>("first", grey, H5T_NATIVE_UINT8, {});
  write<std::uint8_t>("group/second", grey, H5T_NATIVE_UINT8, {});
  expect_refused("", {"2 data sets", "first", "group/second"});
  expect_refused("third", {"'third'", "first, group/second"});
  expect_refused("group", {"'group'", "first, group/second"});
  EXPECT_EQ(io::inspect_image(path_, {"group/second"}).dataset, "group/second");
  EXPECT_EQ(io::inspect_image(path_, {"/group/second"}).dataset, "/group/second");
}

// Programs that loop write how their residuals went beside the image.
TEST_F(Hdf5Reading, OneImageAmongListsNeedsNoName) {
  on_rank_0([&] {
    for (const char* name : {"group/before", "group/later"})
      write_plain_hdf5(path_, name, {5}, std::vector<double>(5), H5T_NATIVE_DOUBLE, {});
  });
  expect_refused("", {"2 data sets", "group/before", "group/later"});
  write<std::uint8_t>("group/image", grey, H5T_NATIVE_UINT8, {});
  EXPECT_EQ(io::inspect_image(path_).dataset, "group/image");
  write<std::uint8_t>("second", grey, H5T_NATIVE_UINT8, {});
  expect_refused("", {"2 data sets", "group/image", "second"});
}

TEST_F(Hdf5Reading, OtherShapesAreRefused) {
  const auto add = [&](const std::string& name, const std::vector<hsize_t>& extents) {
    on_rank_0(
        [&] { write_plain_hdf5(path_, name, extents, std::vector<std::uint8_t>(29), H5T_NATIVE_UINT8, {}); });
  };
  add("scalar", {});
  add("line", {29});
  add("five", {1, 2, 2, 2, 2});
  add("nothing", {4, 0});
  on_rank_0([&] {
    write_plain_hdf5<std::uint8_t>(path_, "text", {2, 2}, {1, 2, 3, 4}, H5T_C_S1, {H5T_C_S1, {}});
  });
  expect_refused("line", {"'line' has 1 dimensions"});
  expect_refused("five", {"'five' has 5 dimensions"});
  expect_refused("nothing", {"'nothing' is empty"});
  expect_refused("scalar", {"'scalar' has 0 dimensions"});
  expect_refused("text", {"'text' does not hold integers or floats"});
}

TEST_F(Hdf5Reading, AFileWithoutDataSets) {
  on_rank_0([&] { H5Fclose(H5Fcreate(path_.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT)); });
  expect_refused("", {"no data set"});
  expect_refused("image", {"no data set"});
}

TEST_F(Hdf5Reading, TruncatedFiles) {
  write<std::uint8_t>("image", colour, H5T_NATIVE_UINT8, {});
  const io::ImageInfo info = io::inspect_image(path_);
  const std::string bytes = bytes_of(path_);
  for (const std::size_t size : {std::size_t{9}, std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    on_rank_0([&] { write_bytes(path_, bytes.substr(0, size)); });
    expect_refused("", {"truncated"});
    OwnedBlock<std::uint8_t> block(part_of(colour, Cut::last_rank));
    expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block()); },
                       {path_, "truncated"});
  }
}

/// Returns an address as HDF5 writes it.
std::string eight_bytes(std::uint64_t number) {
  std::string bytes;
  for (int byte = 0; byte < 8; ++byte) bytes += static_cast<char>(number >> (8 * byte) & 0xFF);
  return bytes;
}

TEST_F(Hdf5Reading, ValuesBeyondTheEnd) {
  write<std::uint8_t>("image", colour, H5T_NATIVE_UINT8, {});
  const io::ImageInfo info = io::inspect_image(path_);
  const std::string bytes = bytes_of(path_);
  const std::uint64_t stored_place = plain_place(path_, "image");
  const std::size_t at = bytes.rfind(eight_bytes(stored_place), stored_place);
  ASSERT_NE(at, std::string::npos);
  for (const std::uint64_t place : {bytes.size() - 1, std::size_t{1} << 20, ~std::size_t{0} / 2}) {
    std::string damaged = bytes;
    on_rank_0([&] { write_bytes(path_, damaged.replace(at, 8, eight_bytes(place))); });
    OwnedBlock<std::uint8_t> block(part_of(colour, Cut::columns));
    expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block()); }, {path_});
  }
}

// The superblock says that the file ends where it does: for HDF5 all is well.
TEST_F(Hdf5Reading, ValuesThatEndTooEarly) {
  write<std::uint8_t>("image", colour, H5T_NATIVE_UINT8, {});
  const io::ImageInfo info = io::inspect_image(path_);
  std::string bytes = bytes_of(path_);
  constexpr std::size_t place_of_end = 40;
  std::size_t size = 0;
  for (int byte = 7; byte >= 0; --byte)
    size = size << 8 | static_cast<unsigned char>(bytes[place_of_end + static_cast<std::size_t>(byte)]);
  ASSERT_EQ(size, bytes.size());
  size -= 100;
  bytes.replace(place_of_end, 8, eight_bytes(size));
  on_rank_0([&] { write_bytes(path_, bytes.substr(0, size)); });
  OwnedBlock<std::uint8_t> block(part_of(colour, Cut::columns));
  expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block()); },
                     {path_, "damaged or truncated"});
}

TEST_F(Hdf5Reading, ChunksThatLieBeyondTheEnd) {
  write<std::uint16_t>("image", colour, H5T_NATIVE_UINT16, {H5T_NATIVE_UINT16, {1, 5, 8}, false});
  on_rank_0([&] {
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "image", H5P_DEFAULT);
    haddr_t place = 0;
    hsize_t first[3] = {1, 5, 8};
    ASSERT_GE(H5Dget_chunk_info_by_coord(dataset, first, nullptr, &place, nullptr), 0);
    H5Dclose(dataset);
    H5Fclose(file);
    std::string bytes = bytes_of(path_);
    const std::size_t at = bytes.find(eight_bytes(place));
    ASSERT_NE(at, std::string::npos);
    ASSERT_EQ(bytes.find(eight_bytes(place), at + 1), std::string::npos);
    write_bytes(path_, bytes.replace(at, 8, eight_bytes(bytes.size() - 10)));
  });
  const io::ImageInfo info = io::inspect_image(path_);
  OwnedBlock<std::uint16_t> block(colour);
  expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block()); },
                     {path_, "cannot be read", "get a complete copy of the file"});
}

TEST_F(Hdf5Reading, AChangedFileIsNoticed) {
  write<std::uint8_t>("image", colour, H5T_NATIVE_UINT8, {});
  io::ImageInfo info = io::inspect_image(path_);
  info.domain[0].end = 28;
  expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(HostBlock{}); },
                     {path_, "changed"});
}

/// Reads an image in blocks of one rank, each with an MPI_COMM_SELF of its own, in random order.
template <class T>
void expect_pixels_in_blocks(const std::string& path, std::int64_t edge) {
  const io::ImageInfo info = io::inspect_image(path);
  const auto source = io::open_image(MPI_COMM_SELF, path, info);
  std::vector<Box> blocks;
  for (std::int64_t y = 0; y < info.domain[1].end; y += edge)
    for (std::int64_t x = 0; x < info.domain[0].end; x += edge) {
      Box box = info.domain;
      box[0] = {x, std::min(x + edge, box[0].end)};
      box[1] = {y, std::min(y + edge, box[1].end)};
      blocks.push_back(box);
    }
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(static_cast<unsigned>(edge)));
  for (const Box& box : blocks) {
    OwnedBlock<T> block(box, Layout::padded);
    source->read(block.block());
    EXPECT_TRUE(holds_pixels(block)) << to_string(box);
  }
  OwnedBlock<T> nothing(Box{{0, 0}, {0, 0}});
  source->read(HostBlock{.data = nullptr, .type = info.type, .box = nothing.block().box});
}

TEST_F(Hdf5Reading, OneRankReadsBlocksFromAnOpenFile) {
  const PlainStorage storages[] = {{H5T_NATIVE_UINT16, {}},         {H5T_STD_U16BE, {}},
                                   {H5T_STD_U16BE, {5, 8}},         {H5T_NATIVE_UINT16, {5, 8}, false},
                                   {H5T_NATIVE_UINT16, {100, 200}}, {H5T_NATIVE_UINT16, {1, 1}}};
  int number = 0;
  for (const PlainStorage& storage : storages) {
    path_ = folder_ / ("image" + std::to_string(number++));
    write<std::uint16_t>("image", {{0, 229}, {0, 117}}, H5T_NATIVE_UINT16, storage);
    for (const std::int64_t edge : {13, 64, 300}) expect_pixels_in_blocks<std::uint16_t>(path_, edge);
  }
}

TEST_F(Hdf5Reading, TheChunksThatAreKeptAreARowOrBounded) {
  const auto kept = [&](const std::string& name, const Box& domain, const PlainStorage& storage) {
    path_ = folder_ / name;
    std::vector<hsize_t> extents{static_cast<hsize_t>(domain[1].size()),
                                 static_cast<hsize_t>(domain[0].size())};
    on_rank_0(
        [&] { write_plain_hdf5<std::uint16_t>(path_, "image", extents, {}, H5T_NATIVE_UINT16, storage); });
    return io::inspect_image(path_).kept_bytes;
  };
  EXPECT_EQ(kept("plain", grey, {H5T_NATIVE_UINT16, {}}), 0);
  EXPECT_EQ(kept("row", grey, {H5T_NATIVE_UINT16, {5, 8}}), 2 * 4 * 5 * 8);
  EXPECT_EQ(kept("bounded", {{0, 1 << 20}, {0, 4096}}, {H5T_NATIVE_UINT16, {1024, 1024}}), 64 << 20);
  EXPECT_EQ(kept("one", {{0, 8192}, {0, 8192}}, {H5T_NATIVE_UINT16, {8192, 8192}}), 128 << 20);
}

// A file is read once, and not decompressed again for each block: else this would take minutes.
TEST_F(Hdf5Reading, ManyBlocksOfOneCompressedChunk) {
  const Box domain{{0, 2500}, {0, 2000}};
  write<std::uint16_t>("image", domain, H5T_NATIVE_UINT16, {H5T_NATIVE_UINT16, {2000, 2500}});
  if (rank() == 0) expect_pixels_in_blocks<std::uint16_t>(path_, 40);
}

TEST_F(Hdf5Reading, AnOpenFileIsReadAgainAfterAnError) {
  write<std::uint16_t>("image", grey, H5T_NATIVE_UINT16, {H5T_NATIVE_UINT16, {5, 8}});
  const io::ImageInfo info = io::inspect_image(path_);
  on_rank_0([&] {
    const auto source = io::open_image(MPI_COMM_SELF, path_, info);
    const std::string whole = bytes_of(path_);
    write_bytes(path_, whole.substr(0, whole.size() - 50));
    OwnedBlock<std::uint16_t> block(grey);
    EXPECT_THROW(source->read(block.block()), InputError);
    write_bytes(path_, whole);
    source->read(block.block());
    EXPECT_TRUE(holds_pixels(block));
  });
}

}  // namespace
}  // namespace tessera::io_test
