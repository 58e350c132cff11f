// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>

#include "io/io_test_support.hpp"
#include "io/plain_hdf5.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

/// How a data set lies in its file, as HDF5 alone tells.
struct StoredAs {
  std::vector<hsize_t> chunk;  ///< empty: contiguous
  int filters = 0;
};

StoredAs stored_as(const std::string& path, const std::string& name) {
  StoredAs stored;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const hid_t creation = H5Dget_create_plist(dataset);
  stored.chunk.resize(max_dimensions);
  stored.chunk.resize(
      H5Pget_layout(creation) == H5D_CHUNKED
          ? static_cast<std::size_t>(H5Pget_chunk(creation, max_dimensions, stored.chunk.data()))
          : 0);
  stored.filters = H5Pget_nfilters(creation);
  H5Pclose(creation);
  H5Dclose(dataset);
  H5Fclose(file);
  return stored;
}

/// Files with chunks, and with several arrays.
class Hdf5Storage : public testing::Test {
 protected:
  /// Writes `domain` in bands of rows, each cut in its own way, and reads it as HDF5 and as Tessera does.
  void write_in_bands(BlockSink& sink, const Box& domain, std::int64_t rows) {
    int number = 0;
    for (std::int64_t y = domain[1].begin; y < domain[1].end; y += rows) {
      Box band = domain;
      band[1] = {y, std::min(y + rows, domain[1].end)};
      const Cut cut = number++ % 2 == 0 ? Cut::rows : Cut::columns;
      sink.write_part(filled<std::uint16_t>(part_of(band, cut), Layout::padded).block(), band);
    }
  }

  void expect_pixels(const std::string& name, const Box& domain) {
    io::ImageInfo info;
    on_rank_0([&] {
      info = io::inspect_image(path_, {.dataset = name});
      const auto plain = read_plain_hdf5<std::uint16_t>(path_, name, H5T_NATIVE_UINT16);
      std::size_t at = 0;
      OwnedBlock<std::uint16_t>(domain).for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, auto&) {
        ASSERT_EQ(plain.values.at(at++), pixel<std::uint16_t>(x, y, c)) << x << ' ' << y << ' ' << c;
      });
    });
    info = io::broadcast(MPI_COMM_WORLD, info);
    EXPECT_TRUE(info.domain == domain) << to_string(info.domain);
    const StoredAs stored = stored_as(path_, name);
    EXPECT_EQ(info.chunk_rows, stored.filters > 0 ? stored.chunk[stored.chunk.size() - 2] : 1);
    OwnedBlock<std::uint16_t> input(part_of(domain, Cut::columns), Layout::padded);
    io::open_image(MPI_COMM_WORLD, path_, info)->read(input.block());
    EXPECT_TRUE(holds_pixels(input));
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.h5";
};

TEST_F(Hdf5Storage, ChunksOfAllShapesHoldTheSame) {
  const io::Hdf5Storage storages[] = {{.chunked = true},
                                      {.chunk = {7, 5}, .chunked = true},
                                      {.chunk = {0, 1}, .chunked = true, .compression = 1},
                                      {.chunk = {1000, 3, 2}, .chunked = true, .compression = 9},
                                      {.compression = 4}};
  for (const Box& domain : {Box{{0, 1}, {0, 1}}, Box{{0, 300}, {0, 41}}, Box{{0, 37}, {0, 23}, {0, 3}}})
    for (const io::Hdf5Storage& storage : storages)
      for (const std::int64_t rows : {1000, 9}) {
        const auto sinks =
            io::create_hdf5(MPI_COMM_WORLD, path_, {{"image", ElementType::uint16, domain}}, storage);
        write_in_bands(*sinks.front(), domain, rows);
        expect_pixels("image", domain);
      }
}

TEST_F(Hdf5Storage, ChunksAreAsAskedForButNoLargerThanTheArray) {
  const Box domain{{0, 300}, {0, 41}, {0, 3}};
  const auto written = [&](const io::Hdf5Storage& storage) {
    const auto sinks =
        io::create_hdf5(MPI_COMM_WORLD, path_, {{"image", ElementType::uint16, domain}}, storage);
    sinks.front()->write(filled<std::uint16_t>(part_of(domain, Cut::rows)).block());
    return stored_as(path_, "image");
  };
  EXPECT_EQ(written({}).chunk, (std::vector<hsize_t>{}));
  EXPECT_EQ(written({.compression = 1}).chunk, (std::vector<hsize_t>{1, 41, 256}));
  EXPECT_EQ(written({.compression = 1}).filters, 2);
  EXPECT_EQ(written({.chunk = {64, 1 << 30, 2}, .chunked = true}).chunk, (std::vector<hsize_t>{2, 41, 64}));
  EXPECT_EQ(written({.chunk = {64}, .chunked = true}).filters, 0);
}

TEST_F(Hdf5Storage, PathsMayHaveColons) {
  const Box domain{{0, 37}, {0, 23}};
  on_rank_0([&] { std::filesystem::create_directory(folder_ / "run 12:30"); });
  path_ = folder_ / "run 12:30/a:1.h5";
  for (const int compression : {0, 1}) {
    const auto sinks = io::create_hdf5(MPI_COMM_WORLD, path_, {{"image", ElementType::uint16, domain}},
                                       {.compression = compression});
    write_in_bands(*sinks.front(), domain, 9);
    expect_pixels("image", domain);
  }
}

// With the index that HDF5 had before 1.10, ranks waited for each other in different calls.
TEST_F(Hdf5Storage, ThereMayBeManyChunks) {
  const Box domain{{0, 300}, {0, 150}};
  const auto sinks = io::create_hdf5(MPI_COMM_WORLD, path_, {{"image", ElementType::uint16, domain}},
                                     {.chunk = {1, 1}, .chunked = true}, [] {
                                       return io::FileNotes{.attributes = {{"a", "b"}}};
                                     });
  sinks.front()->write(filled<std::uint16_t>(part_of(domain, Cut::rows)).block());
  expect_pixels("image", domain);
}

TEST_F(Hdf5Storage, TheOriginOfADomainIsTold) {
  const Box domain{{-3, 10}, {5, 16}}, other{{0, 4}, {0, 2}};
  {
    const auto sinks =
        io::create_hdf5(MPI_COMM_WORLD, path_,
                        {{"image", ElementType::uint16, domain}, {"other", ElementType::uint16, other}}, {});
    write_in_bands(*sinks[0], domain, 4);
    write_in_bands(*sinks[1], other, 4);
  }
  on_rank_0([&] {
    EXPECT_EQ(plain_list_attribute(path_, "image", "origin"), (std::vector<std::int64_t>{5, -3}));
    EXPECT_EQ(plain_list_attribute(path_, "other", "origin"), (std::vector<std::int64_t>{}));
  });
}

TEST_F(Hdf5Storage, ChunksOf4GiBAreRefused) {
  const Box domain{{0, 1 << 16}, {0, 1 << 16}};
  expect_input_error(
      [&] {
        io::create_hdf5(MPI_COMM_WORLD, path_, {{"image", ElementType::uint16, domain}},
                        {.chunk = {1 << 16, 1 << 16}, .chunked = true});
      },
      {path_, "chunks of 'image' of 8589934592 bytes"});
  EXPECT_TRUE(folder_.files().empty());
}

TEST_F(Hdf5Storage, TheLastOfSeveralArraysCompletesTheFile) {
  const Box large{{0, 37}, {0, 23}, {0, 3}}, small{{0, 5}, {0, 9}};
  for (const int compression : {0, 3}) {
    const auto notes = [] { return io::FileNotes{.attributes = {{"program", "tessera-test"}}}; };
    {
      const auto sinks = io::create_hdf5(
          MPI_COMM_WORLD, path_,
          {{"large", ElementType::uint16, large}, {"group/small", ElementType::uint16, small}},
          {.compression = compression}, notes);
      write_in_bands(*sinks[1], small, 2);
      EXPECT_EQ(folder_.files().size(), 1U);
      EXPECT_NE(folder_.files(), std::vector<std::string>{"image.h5"});
      write_in_bands(*sinks[0], large, 10);
      EXPECT_EQ(folder_.files(), std::vector<std::string>{"image.h5"});
    }
    expect_pixels("large", large);
    expect_pixels("group/small", small);
    on_rank_0([&] { EXPECT_EQ(plain_text_attribute(path_, "program"), "tessera-test"); });
    on_rank_0([&] { std::filesystem::remove(path_); });
  }
}

TEST_F(Hdf5Storage, RoomThatIsNotNeededIsGivenBack) {
  const Box domain{{0, 1024}, {0, 1024}};
  OwnedBlock<std::uint16_t> constant(part_of(domain, Cut::rows));
  io::create_hdf5(MPI_COMM_WORLD, path_, {{"image", ElementType::uint16, domain}}, {.compression = 9})
      .front()
      ->write(constant.block());
  on_rank_0([&] {
    struct stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_LT(status.st_size, 100000);
    EXPECT_LT(status.st_blocks * 512, 500000);
  });
}

TEST_F(Hdf5Storage, WithoutOneOfItsArraysThereIsNoFile) {
  const Box domain{{0, 5}, {0, 9}};
  {
    const auto sinks = io::create_hdf5(
        MPI_COMM_WORLD, path_, {{"a", ElementType::uint16, domain}, {"b", ElementType::uint16, domain}}, {});
    write_in_bands(*sinks[1], domain, 2);
  }
  EXPECT_TRUE(folder_.files().empty());
}

}  // namespace
}  // namespace tessera::io_test
