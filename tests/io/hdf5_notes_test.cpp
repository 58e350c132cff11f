// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <thread>
#include <vector>

#include "io/io_test_support.hpp"
#include "io/plain_hdf5.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io_test {
namespace {

/// Lists and attributes beside an array, read by HDF5 alone.
class Hdf5Notes : public testing::Test {
 protected:
  void write(const io::FileNotes& notes) {
    const auto sink = io::create_hdf5(MPI_COMM_WORLD, path_, "image", domain_, ElementType::uint16,
                                      [&notes] { return notes; });
    sink->write(filled<std::uint16_t>(part_of(domain_, Cut::rows)).block());
  }

  Box domain_{{0, 29}, {0, 17}};
  SharedFolder folder_;
  std::string path_ = folder_ / "image.h5";
};

TEST_F(Hdf5Notes, TextsAndNumbersAreAttached) {
  write({.attributes = {{"program", "tessera-test"},
                        {"unit", "\xC2\xB5m"},
                        {"empty", ""},
                        {"lines", "one: 1\ntwo: 2\n"},
                        {"ranks", std::int64_t(-3000000000)},
                        {"seconds", 0.1}}});
  EXPECT_EQ(plain_text_attribute(path_, "program"), "tessera-test");
  EXPECT_EQ(plain_text_attribute(path_, "unit"), "\xC2\xB5m");
  EXPECT_EQ(plain_text_attribute(path_, "empty"), "");
  EXPECT_EQ(plain_text_attribute(path_, "lines"), "one: 1\ntwo: 2\n");
  EXPECT_EQ(plain_number_attribute<std::int64_t>(path_, "ranks", H5T_NATIVE_INT64), -3000000000);
  EXPECT_EQ(plain_number_attribute<double>(path_, "seconds", H5T_NATIVE_DOUBLE), 0.1);
  const auto image = read_plain_hdf5<std::uint16_t>(path_, "image", H5T_NATIVE_UINT16);
  EXPECT_EQ(image.values.at(16 * 29 + 28), pixel<std::uint16_t>(28, 16, 0));
}

TEST_F(Hdf5Notes, DecksMayBeLongerThanAnObjectsHeader) {
  std::string deck;
  while (deck.size() < 200000) deck += "key: " + std::to_string(deck.size()) + "\n";
  write({.attributes = {{"deck", deck}, {"after", "it"}}});
  EXPECT_EQ(plain_text_attribute(path_, "deck"), deck);
  EXPECT_EQ(plain_text_attribute(path_, "after"), "it");
}

TEST_F(Hdf5Notes, ListsAndAttributesGoTogether) {
  io::FileNotes notes{.lists = {{.name = "history/loop/residual", .count = 3}}, .attributes = {{"a", "b"}}};
  if (rank() == 0) notes.lists.front().values = {1, 0.5, 0.25};
  write(notes);
  EXPECT_EQ(read_plain_hdf5<double>(path_, "history/loop/residual", H5T_NATIVE_DOUBLE).values,
            (std::vector<double>{1, 0.5, 0.25}));
  EXPECT_EQ(plain_text_attribute(path_, "a"), "b");
}

TEST_F(Hdf5Notes, ListsHaveNoChunksAndMayBeEmpty) {
  const auto notes = [] {
    io::FileNotes given{.lists = {{.name = "full", .count = 3}, {.name = "empty"}}};
    if (rank() == 0) given.lists.front().values = {1, 0.5, 0.25};
    return given;
  };
  for (const bool chunked : {false, true}) {
    const auto sinks = io::create_hdf5(MPI_COMM_WORLD, path_, {{"image", ElementType::uint16, domain_}},
                                       {.chunked = chunked}, notes);
    sinks.front()->write(filled<std::uint16_t>(part_of(domain_, Cut::rows)).block());
    EXPECT_EQ(read_plain_hdf5<std::uint16_t>(path_, "image", H5T_NATIVE_UINT16).contiguous, !chunked);
    const auto full = read_plain_hdf5<double>(path_, "full", H5T_NATIVE_DOUBLE);
    EXPECT_TRUE(full.contiguous);
    EXPECT_EQ(full.values, (std::vector<double>{1, 0.5, 0.25}));
    EXPECT_TRUE(read_plain_hdf5<double>(path_, "empty", H5T_NATIVE_DOUBLE).values.empty());
  }
}

/// The notes of a result name the version of HDF5, and tasks make them while another thread writes a file.
/// HDF5 serves one thread at a time: it must not be asked for its version then.
TEST_F(Hdf5Notes, FormatsAreNamedWhileAnotherThreadWrites) {
  const std::string expected = io::formats_text();
  std::atomic<bool> is_written = false;
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 2; ++thread)
      threads.emplace_back([&] {
        for (; !is_written; std::this_thread::yield())
          if (io::formats_text() != expected) ++wrong;
      });
    for (int turn = 0; turn < 30; ++turn) write({.attributes = {{"turn", std::int64_t(turn)}}});
    is_written = true;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(plain_number_attribute<std::int64_t>(path_, "turn", H5T_NATIVE_INT64), 29);
}

TEST_F(Hdf5Notes, NamesThatAreTakenAreAnError) {
  expect_input_error([&] { write({.attributes = {{"a", "b"}, {"a", "c"}}}); }, {path_, "attribute 'a'"});
  EXPECT_TRUE(folder_.files().empty());
}

}  // namespace
}  // namespace tessera::io_test
