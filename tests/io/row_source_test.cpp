// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "domain/random.hpp"
#include "io_test_support.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera {
namespace {

std::uint16_t sample(std::int64_t x, std::int64_t y, std::int64_t c) {
  return static_cast<std::uint16_t>(7 * x + 1001 * y + 13 * c);
}

/// This counts what the readers of a test have done on this rank.
struct Decoded {
  int opened = 0;
  int rows = 0;
};

/// Decodes an image whose samples are known, and fails at the row `damaged`.
class KnownRows final : public io::detail::RowReader {
 public:
  KnownRows(const Box& domain, std::int64_t damaged, Decoded& decoded)
      : domain_(domain), damaged_(damaged), decoded_(decoded) {
    ++decoded_.opened;
  }
  ElementType type() const override { return ElementType::uint16; }
  Box domain() const override { return domain_; }
  void read_row(std::byte* samples) override {
    if (row_ == damaged_) throw InputError("known rows: row " + std::to_string(row_) + " is damaged");
    for (std::int64_t x = 0; x < domain_[0].size(); ++x)
      for (std::int64_t c = 0; c < domain_[2].size(); ++c, samples += 2) {
        const std::uint16_t value = sample(x, row_, c);
        std::memcpy(samples, &value, 2);
      }
    ++row_;
    ++decoded_.rows;
  }
  void finish() override {}

 private:
  Box domain_;
  std::int64_t damaged_;
  Decoded& decoded_;
  std::int64_t row_ = 0;
};

io::detail::RowSource known_source(const Box& domain, std::int64_t damaged, Decoded& decoded) {
  return {MPI_COMM_WORLD, "known rows", io::ImageInfo{io::ImageFormat::png, ElementType::uint16, domain},
          [&decoded, domain, damaged](const std::string&) {
            return std::make_unique<KnownRows>(domain, damaged, decoded);
          }};
}

std::int64_t wrong_points(io::detail::RowSource& source, const Box& box) {
  io_test::OwnedBlock<std::uint16_t> block(box, io_test::Layout::padded);
  source.read(block.block());
  std::int64_t wrong = 0;
  block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, std::uint16_t value) {
    wrong += value != sample(x, y, c);
  });
  return wrong;
}

TEST(RowSource, OneRankDecodesForAll) {
  // A row has 6 kB, so that a batch has 174 rows.
  const Box domain{{0, 1000}, {0, 700}, {0, 3}};
  test::Random random(2901);
  for (int i = 0; i < 8; ++i) {
    Decoded decoded;
    auto source = known_source(domain, -1, decoded);
    // Blocks of any size at any place, some of them empty; not the same on all ranks.
    test::Random own(2902 + 10 * i + io_test::rank());
    Box box = domain;
    for (int d = 0; d < 3; ++d) {
      box[d].begin = own.small(0, static_cast<int>(domain[d].end) - 1);
      box[d].end = own.small(static_cast<int>(box[d].begin) + 1, static_cast<int>(domain[d].end));
    }
    if (own.chance(20)) box = Box{{0, 0}, {0, 0}, {0, 0}};
    EXPECT_EQ(wrong_points(source, box), 0) << "run " << i;
    EXPECT_LE(decoded.opened, io_test::rank() == 0 ? 1 : 0);
    EXPECT_LE(decoded.rows, io_test::rank() == 0 ? 700 : 0);
  }
}

TEST(RowSource, BandsAreDecodedOnce) {
  const Box domain{{0, 1000}, {0, 700}, {0, 3}};
  Decoded decoded;
  auto source = known_source(domain, -1, decoded);
  const std::int64_t ranks = io_test::ranks(), rank = io_test::rank();
  for (std::int64_t band = 0; band < 7; ++band) {
    // Each rank has a part of the band, with two rows of its neighbours.
    const std::int64_t first = 100 * band + 100 * rank / ranks, last = 100 * band + 100 * (rank + 1) / ranks;
    const Range rows{std::max<std::int64_t>(first - 2, 0), std::min<std::int64_t>(last + 2, 700)};
    EXPECT_EQ(wrong_points(source, Box{{0, 1000}, rows, {0, 3}}), 0) << "band " << band;
  }
  // The second band is the first one that overlaps another, after which rows are kept.
  if (rank == 0) {
    EXPECT_EQ(decoded.opened, 2);
    EXPECT_EQ(decoded.rows, 102 + 700);
  }
}

// The first and the last band of an image with periodic sides also read rows of the other end.
TEST(RowSource, RowsOfTheOtherEndAreDecodedByThemselves) {
  const Box domain{{0, 1000}, {0, 700}, {0, 3}};
  Decoded decoded;
  auto source = known_source(domain, -1, decoded);
  const auto read = [&](const Range& rows) {
    EXPECT_EQ(wrong_points(source, Box{{0, 1000}, rows, {0, 3}}), 0) << rows.begin;
  };
  read({698, 700});
  for (std::int64_t band = 0; band < 7; ++band)
    read({std::max<std::int64_t>(100 * band - 2, 0), std::min<std::int64_t>(100 * band + 102, 700)});
  read({0, 2});
  if (io_test::rank() == 0) {
    EXPECT_EQ(decoded.opened, 4);
    EXPECT_EQ(decoded.rows, 700 + 102 + 700 + 2);
  }
}

TEST(RowSource, AllRanksFailTogether) {
  const Box domain{{0, 1000}, {0, 700}, {0, 3}};
  for (const std::int64_t damaged : {0, 100, 400, 699}) {
    Decoded decoded;
    auto source = known_source(domain, damaged, decoded);
    const std::int64_t ranks = io_test::ranks(), rank = io_test::rank();
    io_test::OwnedBlock<std::uint16_t> block(
        Box{{0, 1000}, {700 * rank / ranks, 700 * (rank + 1) / ranks}, {0, 3}}, io_test::Layout::padded);
    try {
      source.read(block.block());
      ADD_FAILURE() << "row " << damaged << " is damaged";
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()), "known rows: row " + std::to_string(damaged) + " is damaged");
    }
    // The rows before the damaged one can still be read, as all is decoded again.
    if (damaged == 0) continue;
    EXPECT_EQ(wrong_points(source, Box{{0, 1000}, {0, damaged}, {0, 3}}), 0);
    EXPECT_EQ(decoded.opened, rank == 0 ? 2 : 0);
  }
}

}  // namespace
}  // namespace tessera
