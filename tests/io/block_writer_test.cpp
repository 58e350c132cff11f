// SPDX-License-Identifier: BSD-3-Clause
// Each rank writes blocks of a file by itself, in any order.
#include "tessera/io/image_sink.hpp"

#include <filesystem>
#include <memory>
#include <random>
#include <thread>

#include "io/full_disk.hpp"
#include "io/io_test_support.hpp"
#include "io/plain_hdf5.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/io/text_file.hpp"

namespace tessera::io_test {
namespace {

/// Cuts a box at random, until its parts have at most `most` points.
void cut(const Box& box, std::int64_t most, std::mt19937& random, std::vector<Box>& parts) {
  if (box.size() <= most) return parts.push_back(box);
  int d = static_cast<int>(random() % static_cast<unsigned>(box.dimensions));
  while (box[d].size() == 1) d = (d + 1) % box.dimensions;
  Box low = box, high = box;
  low[d].end = high[d].begin =
      box[d].begin + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(box[d].size() - 1));
  cut(low, most, random, parts);
  cut(high, most, random, parts);
}

class BlockWriting : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<io::BlockWriter> create(const Box& domain, ElementType type,
                                          const io::BegunFile& begun = {}) const {
    return is_raw() ? io::create_raw_blocks(MPI_COMM_WORLD, path_, domain, type, begun)
                    : io::create_hdf5_blocks(MPI_COMM_WORLD, path_, "array", domain, type, begun);
  }
  bool is_raw() const { return std::string(GetParam()) == "raw"; }

  /// Writes the parts of a domain from random ranks, and finds the points again.
  template <class T>
  void expect_written(const Box& domain, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Box> parts;
    cut(domain, std::max<std::int64_t>(1, domain.size() / 20), random, parts);
    std::shuffle(parts.begin(), parts.end(), random);
    const auto writer = create(domain, element_type_of<T>());
    for (const Box& part : parts) {
      const bool is_mine = static_cast<int>(random() % static_cast<unsigned>(ranks())) == rank();
      const Layout layout = random() % 2 == 0 ? Layout::packed : Layout::padded;
      if (is_mine) writer->write(filled<T>(part, layout).block());
    }
    writer->complete();
    expect_points<T>(domain);
  }

  /// Expects that there is no other file, and that it has the points of a domain.
  template <class T>
  void expect_points(const Box& domain) {
    EXPECT_EQ(folder_.files(), std::vector<std::string>{"array"});
    io::ImageInfo info{.format = io::ImageFormat::raw, .type = element_type_of<T>(), .domain = domain};
    if (!is_raw()) info = io::inspect_image(path_);
    EXPECT_TRUE(info.domain == domain);
    EXPECT_EQ(info.type, element_type_of<T>());
    OwnedBlock<T> read(part_of(domain, Cut::columns));
    io::open_image(MPI_COMM_WORLD, path_, info)->read(read.block());
    EXPECT_TRUE(holds_pixels(read));
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "array";
};

INSTANTIATE_TEST_SUITE_P(Formats, BlockWriting, testing::Values("raw", "hdf5"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(BlockWriting, TakesBlocksOfAnyRankInAnyOrder) {
  unsigned seed = 1;
  for (const Box& domain : {Box{{0, 37}, {0, 23}}, {{0, 1}, {0, 1}}, {{0, 1}, {0, 50}}, {{0, 50}, {0, 1}}}) {
    expect_written<double>(domain, seed++);
    expect_written<float>(domain, seed++);
    expect_written<std::uint8_t>(domain, seed++);
  }
  expect_written<std::uint16_t>({{0, 11}, {0, 13}, {0, 3}}, seed);
}

TEST_P(BlockWriting, TakesBlocksOfSeveralThreads) {
  const Box domain{{0, 64}, {0, 64}};
  const auto writer = create(domain, ElementType::float64);
  const Box mine = part_of(domain, Cut::rows);
  {
    std::vector<std::jthread> threads;
    for (std::int64_t x = 0; x < 64; x += 16)
      threads.emplace_back([&, x] { writer->write(filled<double>({{x, x + 16}, mine[1]}).block()); });
  }
  writer->complete();
  expect_points<double>(domain);
}

TEST_P(BlockWriting, HasNoFileBeforeItIsComplete) {
  const Box domain{{0, 8}, {0, 8}};
  on_rank_0([&] { write_bytes(path_, "old"); });
  {
    const auto writer = create(domain, ElementType::float32);
    writer->write(filled<float>(part_of(domain, Cut::rows)).block());
    on_rank_0([&] { EXPECT_EQ(bytes_of(path_), "old"); });
  }
  EXPECT_EQ(folder_.files(), std::vector<std::string>{"array"});
  on_rank_0([&] { EXPECT_EQ(bytes_of(path_), "old"); });
}

TEST_P(BlockWriting, GoesOnWithAFileThatAKilledProcessHasLeft) {
  const Box domain{{0, 8}, {0, 9}};
  constexpr long killed = 999999999;
  const std::string left = folder_ / (".array.part-" + std::to_string(killed));
  {
    const auto writer = create(domain, ElementType::float64);
    on_rank_0([&] {
      writer->write(filled<double>({{0, 8}, {0, 3}}).block());
      EXPECT_EQ(io::killed_process({path_}), 0);
      const std::filesystem::directory_iterator file(std::filesystem::path(path_).parent_path());
      std::filesystem::copy_file(file->path(), left);
      EXPECT_EQ(io::killed_process({path_}), killed);
      EXPECT_EQ(io::killed_process({path_, folder_ / "other"}), 0);
    });
  }
  const auto writer = create(domain, ElementType::float64, {killed, 8 * 3});
  on_rank_0([&] {
    EXPECT_FALSE(std::filesystem::exists(left));
    writer->write(filled<double>({{0, 8}, {3, 9}}).block());
  });
  writer->complete();
  expect_points<double>(domain);
}

TEST_P(BlockWriting, BlocksThatDoNotFitAreInternalErrors) {
  const Box domain{{0, 8}, {0, 8}};
  const auto writer = create(domain, ElementType::float32);
  EXPECT_THROW(writer->write(filled<double>(domain).block()), InternalError);
  EXPECT_THROW(writer->write(filled<float>({{0, 9}, {0, 8}}).block()), InternalError);
  if (rank() == 0) writer->write(filled<float>({{0, 8}, {0, 7}}).block());
  EXPECT_THROW(writer->complete(), InternalError);
  EXPECT_THROW(create({{0, 0}, {0, 8}}, ElementType::float32), InternalError);
}

TEST_P(BlockWriting, AFolderThatIsMissingIsAnInputError) {
  path_ = folder_ / "nowhere/array";
  expect_input_error(
      [&] {
        create({{0, 4}, {0, 4}}, ElementType::float32);
      },
      {path_ + ": cannot be written (No such file or directory)"});
}

TEST_P(BlockWriting, AFileThatHasNoRoomIsRefusedAtOnce) {
  MPI_Barrier(MPI_COMM_WORLD);
  const FullDisk full(100000);
  expect_input_error(
      [&] {
        create({{0, 200}, {0, 200}}, ElementType::float32);
      },
      {path_ + ": cannot be written (File too large); free some space"});
  EXPECT_EQ(folder_.files(), std::vector<std::string>{});
}

}  // namespace
}  // namespace tessera::io_test
