// SPDX-License-Identifier: BSD-3-Clause
#include "domain/random.hpp"
#include "io/io_test_support.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

/// RLE patterns as others write them, read by Tessera.
class RleReading : public testing::Test {
 protected:
  void write(const std::string& text) {
    on_rank_0([&] { write_bytes(path_, text); });
  }

  /// Reads the file cut in every way: rows of `o` and any other character.
  void expect_cells(const std::vector<std::string>& rows) {
    const Box domain{{0, static_cast<std::int64_t>(rows.front().size())},
                     {0, static_cast<std::int64_t>(rows.size())}};
    const io::ImageInfo info = io::inspect_image(path_);
    EXPECT_EQ(info.format, io::ImageFormat::rle);
    EXPECT_EQ(info.type, ElementType::uint8);
    EXPECT_EQ(info.dataset, "");
    ASSERT_TRUE(info.domain == domain) << to_string(info.domain);
    for (const Cut cut : all_cuts) {
      OwnedBlock<std::uint8_t> block(part_of(domain, cut), Layout::padded);
      io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
      std::int64_t wrong = block.changed_padding();
      block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t, std::uint8_t cell) {
        wrong += cell != (rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] == 'o' ? 1 : 0);
      });
      EXPECT_EQ(wrong, 0) << "cut " << static_cast<int>(cut);
    }
  }

  void expect_header_fails(const std::string& text, const std::string& words) {
    write(text);
    expect_input_error([&] { io::inspect_image(path_); }, {path_, words});
  }

  /// Expects an error about this text after a header of 3 x 2 cells. Every rank notices, whatever its block.
  void expect_cells_fail(const std::string& cells, const std::string& words) {
    write("x = 3, y = 2, rule = B3/S23\n" + cells);
    const io::ImageInfo info = io::inspect_image(path_);
    OwnedBlock<std::uint8_t> block(part_of(info.domain, Cut::last_rank));
    expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block()); },
                       {path_, words});
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "pattern";
};

TEST_F(RleReading, TheFormOfLifeWiki) {
  write(
      "#N Gosper glider gun\n#O Bill Gosper\n#C http://example.org/!\nx = 36, y = 9, rule = B3/S23\n"
      "24bo11b$22bobo11b$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o14b$2o8b\n"
      "o3bob2o4bobo11b$10bo5bo7bo11b$11bo3bo20b$12b2o!\n");
  expect_cells({"........................o...........", "......................o.o...........",
                "............oo......oo............oo", "...........o...o....oo............oo",
                "oo........o.....o...oo..............", "oo........o...o.oo....o.o...........",
                "..........o.....o.......o...........", "...........o...o....................",
                "............oo......................"});
}

TEST_F(RleReading, OddForms) {
  for (const char* text :
       {"x = 3, y = 2\nobo$2o!", "x=3,y=2,rule=B3/S23\nobo$2o!\n", "x = 3, y = 2, rule = 23/3\nobo$2o!",
        "x = 3, y = 2, rule = b3/s23  \r\nobo$\r\n2o!\r\n",
        "x\t=  3 , y =2 , rule= B3/S23\no b\no\n$ 2\no\t!",
        "\n# x = 9, y = 9\n \n#\nx = 3, y = 2\n#C bbb\nobo$\n#C 2o!\n2o!", "x = 3, y = 2\nA.A$2A.!",
        "x = 3, y = 2\nobo$2ob$!", "x = 3, y = 2\n1o1b1o1$1o1o1b!", "x = 3, y = 2\nobo$2o!\nThe end: 77z!"}) {
    SCOPED_TRACE(text);
    write(text);
    expect_cells({"o.o", "oo."});
  }
}

TEST_F(RleReading, WhatIsLeftOutIsDead) {
  write("x = 4, y = 5\n2$bo$!");
  expect_cells({"....", "....", ".o..", "....", "...."});
  write("x = 2, y = 1\n!");
  expect_cells({".."});
  write("x = 1, y = 1\no!");
  expect_cells({"o"});
}

TEST_F(RleReading, HasNoDataSets) {
  write("x = 1, y = 1\no!");
  expect_input_error([&] { io::inspect_image(path_, {"image"}); },
                     {path_, "has the format RLE, which has no data sets"});
}

TEST_F(RleReading, OtherTextIsNoPattern) {
  for (const char* text :
       {"x", "x y = 3", "y = 3, x = 3\no!", "rule = B3/S23", "#C only a comment", "# x = 3\n"})
    expect_header_fails(text, "is not an image");
}

TEST_F(RleReading, BadHeaders) {
  const std::string damaged = "damaged or truncated RLE pattern (line ";
  expect_header_fails("x = 3\no!", damaged + "1: ',' should stand where the end of the line is)");
  expect_header_fails("#C\nx = , y = 3\no!", damaged + "2: a number should stand where ',' is)");
  expect_header_fails("x = -3, y = 3\no!", damaged + "1: a number should stand where '-' is)");
  expect_header_fails("x =", damaged + "1: a number should stand where the end of the file is)");
  expect_header_fails("x = 3, z = 3\no!", damaged + "1: 'y' should stand where 'z' is)");
  expect_header_fails("x = 3, y = 3 3\no!", damaged + "1: the end of the line should stand where '3' is)");
  expect_header_fails("x = 3, y = 3, role = B3/S23\no!", damaged + "1: 'u' should stand where 'o' is)");
  expect_header_fails("x = 2147483648, y = 3\no!", damaged + "1: a number is larger than 2147483647)");
  expect_header_fails("x = 99999999999999999999999999, y = 3\no!", damaged);
  expect_header_fails("x = 3, y = 0\n!", "is a pattern without cells; give one with 1 x 1 cells or more");
}

TEST_F(RleReading, OtherRules) {
  const std::string advice = "; give one of B3/S23, the rule of the Game of Life";
  for (const std::string rule : {"B36/S23", "23/36", "B3/S23:T30,20", "WireWorld", ""})
    expect_header_fails(
        "x = 3, y = 2, rule = " + rule + "\nobo!", "is a pattern of the rule '" + [&] {
          std::string upper = rule;
          for (char& letter : upper) letter = static_cast<char>(std::toupper(letter));
          return upper;
        }() + "'" + advice);
  expect_header_fails("x = 3, y = 2, rule = " + std::string(100'000, 'B'),
                      std::string(40, 'B') + "'" + advice);
}

TEST_F(RleReading, BadCells) {
  const std::string damaged = "damaged or truncated RLE pattern (line ";
  const std::string again = "; get a complete copy of the file";
  for (const char* cells : {"", "\n", "3o", "3o$", "3o$2", "3o$b2o\n\n"})
    expect_cells_fail(cells, "the file ends before its '!')" + again);
  for (const char* cells : {"4o!", "2b2o!", "3o$4b!", "3ob!", "2147483647b!", "3b2147483647b!"})
    expect_cells_fail(cells, "a row has more cells than 3)" + again);
  for (const char* cells : {"3$!", "2$o!", "3o$3o$.!", "2147483647$2147483647$o!"})
    expect_cells_fail(cells, "there are more rows than 2)" + again);
  for (const char* cells : {"2147483648o!", "99999999999999999999b!", "18446744073709551617$o!"})
    expect_cells_fail(cells, damaged + "2: a number is larger than 2147483647)" + again);
  expect_cells_fail("o$\n0b!", damaged + "3: a count is 0)" + again);
  expect_cells_fail("3!", "a count should not stand before '!')");
  expect_cells_fail("1 2b!", "a count should not stand before '2')");
  expect_cells_fail("o?!", "'?' means nothing here)");
  expect_cells_fail("-3o!", "'-' means nothing here)");
  expect_cells_fail(std::string("o\0o!", 4), "the byte 0 means nothing here)");
  expect_cells_fail("o\xff!", "the byte 255 means nothing here)");
  for (const char* cells : {"oCo!", "C!", "o$\nCo!"})
    expect_cells_fail(cells, "has a cell of state 'C' in line ");
  expect_cells_fail("2oyO!", "'y' in line 2; give a pattern of cells that are dead or alive, b and o");
}

/// The text of some random cells, in lines of some length.
std::string random_pattern(test::Random& random, std::int64_t width, std::int64_t height) {
  std::string text = "x = " + std::to_string(width) + ", y = " + std::to_string(height) + "\n";
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width;) {
      const std::int64_t count = random.between(1, width - x);
      text += std::to_string(count) + (random.chance(50) ? "b" : "o") + (random.chance(10) ? "\n" : "");
      x += count;
    }
    text += y + 1 < height ? "$" : "!";
  }
  return text;
}

TEST_F(RleReading, EveryTruncationIsFound) {
  test::Random random(71);
  const std::string text = random_pattern(random, 13, 9);
  write(text);
  const io::ImageInfo info = io::inspect_image(path_);
  for (std::size_t size = 0; size < text.size(); ++size) {
    write(text.substr(0, size));
    OwnedBlock<std::uint8_t> block(part_of(info.domain, Cut::rows));
    expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block()); }, {path_});
  }
}

TEST_F(RleReading, DamageIsFoundOrHarmless) {
  test::Random random(72);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    std::string text = random_pattern(random, 13, 9);
    for (int flips = random.small(1, 3); flips > 0; --flips) {
      const auto place =
          static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(text.size()) - 1));
      text[place] = random.chance(50) ? static_cast<char>(random.small(0, 255))
                                      : random.one_of<char>({'$', 'o', '9', '!', '#', '\n'});
    }
    write(text);
    OwnedBlock<std::uint8_t> block(part_of({{0, 13}, {0, 9}}, Cut::columns), Layout::padded);
    try {
      const io::ImageInfo info{io::ImageFormat::rle, ElementType::uint8, {{0, 13}, {0, 9}}, ""};
      io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
      block.for_each([](auto, auto, auto, std::uint8_t cell) { EXPECT_LE(cell, 1); });
    } catch (const InputError&) {
      ++found;
    }
    EXPECT_EQ(block.changed_padding(), 0);
  }
  EXPECT_GT(found, 20);
  EXPECT_LT(found, 200);
}

TEST_F(RleReading, ChangedSinceInspection) {
  write("x = 3, y = 2\no!");
  const io::ImageInfo info = io::inspect_image(path_);
  write("x = 2, y = 3\no!");
  expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(HostBlock{}); },
                     {path_, "changed"});
}

}  // namespace
}  // namespace tessera::io_test
