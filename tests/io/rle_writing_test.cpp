// SPDX-License-Identifier: BSD-3-Clause
#include <sstream>

#include "domain/random.hpp"
#include "io/io_test_support.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

/// The same cells on every rank, of this share of live ones.
struct Board {
  std::int64_t width, height;
  std::vector<bool> cells;

  Board(std::int64_t columns, std::int64_t rows, int percent, std::uint64_t seed = 73)
      : width(columns), height(rows) {
    test::Random random(seed);
    for (std::int64_t i = 0; i < width * height; ++i) cells.push_back(random.chance(percent));
  }
  Box box() const { return {{0, width}, {0, height}}; }
  bool at(std::int64_t x, std::int64_t y) const { return cells[static_cast<std::size_t>(y * width + x)]; }
};

class RleWriting : public testing::Test {
 protected:
  /// `alive` is what live cells are in memory.
  void write(const Board& board, Cut cut, Layout layout = Layout::padded, std::uint8_t alive = 1) {
    OwnedBlock<std::uint8_t> block(part_of(board.box(), cut), layout);
    block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t, std::uint8_t& cell) {
      cell = board.at(x, y) ? alive : std::uint8_t{0};
    });
    io::create_image(MPI_COMM_WORLD, io::ImageFormat::rle, path_, board.box(), ElementType::uint8)
        ->write(block.block());
  }

  void expect_reads_as(const Board& board, Cut cut, Layout layout) {
    io::ImageInfo info;
    on_rank_0([&] { info = io::inspect_image(path_); });
    info = io::broadcast(MPI_COMM_WORLD, info);
    EXPECT_EQ(info.format, io::ImageFormat::rle);
    ASSERT_TRUE(info.domain == board.box()) << to_string(info.domain);
    OwnedBlock<std::uint8_t> block(part_of(board.box(), cut), layout);
    io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
    std::int64_t wrong = block.changed_padding();
    block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t, std::uint8_t cell) {
      wrong += cell != (board.at(x, y) ? 1 : 0);
    });
    EXPECT_EQ(wrong, 0) << to_string(board.box());
    MPI_Barrier(MPI_COMM_WORLD);
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "pattern.rle";
};

/// The runs of a text without counts: one character a cell.
std::string spelt_out(const std::string& runs) {
  std::string cells;
  std::size_t count = 0;
  for (const char tag : runs)
    if (tag >= '0' && tag <= '9') {
      count = 10 * count + static_cast<std::size_t>(tag - '0');
    } else if (tag != '\n') {
      cells.append(count == 0 ? 1 : count, tag);
      count = 0;
    }
  return cells;
}

/// Returns the text after the header.
std::string expected_cells(const Board& board) {
  std::string text;
  for (std::int64_t y = 0; y < board.height; ++y) {
    for (std::int64_t x = 0; x < board.width; ++x) text += board.at(x, y) ? 'o' : 'b';
    text.erase(text.find_last_not_of('b') + 1);
    text += '$';
  }
  text.erase(text.find_last_not_of('$') + 1);
  return text + "!";
}

TEST_F(RleWriting, TheTextOfAGlider) {
  Board board(5, 4, 0);
  for (const int cell : {1, 7, 10, 11, 12}) board.cells[static_cast<std::size_t>(cell)] = true;
  write(board, Cut::rows);
  EXPECT_EQ(bytes_of(path_), "x = 5, y = 4, rule = B3/S23\nbo$2bo$3o!\n");
  write(Board(5, 4, 0), Cut::columns);
  EXPECT_EQ(bytes_of(path_), "x = 5, y = 4, rule = B3/S23\n!\n");
  EXPECT_EQ(folder_.files(), std::vector<std::string>{"pattern.rle"});
}

TEST_F(RleWriting, NoLineIsTooLongAndNothingIsTooMuch) {
  for (const int percent : {1, 30, 100}) {
    const Board board(131, 57, percent);
    write(board, Cut::columns);
    const std::string text = bytes_of(path_);
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
    EXPECT_LE(longest, 70u);
    EXPECT_GT(longest, 60u);
    const std::size_t header = text.find('\n') + 1;
    EXPECT_EQ(text.substr(0, header), "x = 131, y = 57, rule = B3/S23\n");
    EXPECT_EQ(spelt_out(text.substr(header)), expected_cells(board));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_F(RleWriting, RoundTrips) {
  const std::pair<int, int> sizes[] = {{1, 1}, {3, 1}, {1, 5}, {37, 23}, {300, 211}};
  int number = 0;
  for (const auto& [width, height] : sizes)
    for (const int percent : {0, 10, 50, 100}) {
      const Board board(width, height, percent);
      write(board, all_cuts[number % 4], number % 3 == 0 ? Layout::packed : Layout::padded,
            number % 2 == 0 ? 1 : 255);
      expect_reads_as(board, all_cuts[(number / 4 + number) % 4], Layout::padded);
      ++number;
    }
}

TEST_F(RleWriting, MoreThanOneBand) {
  const Board board(3000, 3000, 1);
  write(board, Cut::columns);
  expect_reads_as(board, Cut::rows, Layout::packed);
}

TEST_F(RleWriting, ADomainMayBeginAnywhere) {
  const Box domain{{-3, 2}, {5, 9}};
  OwnedBlock<std::uint8_t> block(part_of(domain, Cut::rows));
  block.for_each([](std::int64_t x, std::int64_t y, std::int64_t, std::uint8_t& cell) {
    cell = x == -1 && y == 6 ? 1 : 0;
  });
  io::create_image(MPI_COMM_WORLD, io::ImageFormat::rle, path_, domain, ElementType::uint8)
      ->write(block.block());
  EXPECT_EQ(bytes_of(path_), "x = 5, y = 4, rule = B3/S23\n$2bo!\n");
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace tessera::io_test
