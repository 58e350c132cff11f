// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/checkpoint_file.hpp"

#include <memory>

#include "io/full_disk.hpp"
#include "io/io_test_support.hpp"
#include "io/plain_hdf5.hpp"
#include "tessera/io/detail/checkpoint_seal.hpp"

namespace tessera::io_test {
namespace {

class CheckpointFile : public testing::Test {
 protected:
  using Reader = io::CheckpointReader;

  /// A field with a border below 0, a field of bytes in (x, y, z), and the state of a loop.
  const io::FileArray field_{"u", ElementType::float64, {{-2, 31}, {-1, 18}}};
  const io::FileArray cells_{"cells", ElementType::int8, {{0, 9}, {0, 5}, {0, 3}}};
  const io::FileArray state_{"state", ElementType::float32, Box{{0, 2}}};
  const io::CheckpointNotes notes_{"tessera-test", "1.2", "a: 1\nb: 2\n", "a: 1\n", "solve", 1234567, 0.1};

  /// Blocks of this rank of the communicator, which is all of them, or each alone.
  void write(MPI_Comm communicator, const std::string& path, Cut cut) const {
    const bool alone = communicator == MPI_COMM_SELF;
    const auto part = [&](const io::FileArray& array) {
      return alone ? array.domain : part_of(array.domain, cut);
    };
    const auto checkpoint = io::create_checkpoint(communicator, path);
    io::CheckpointWriter& writer = *checkpoint;
    writer.write(field_, filled<double>(part(field_), Layout::padded).block());
    writer.write(cells_, filled<std::int8_t>(part(cells_)).block());
    float state[2] = {0.25f, -7};
    HostBlock block{reinterpret_cast<std::byte*>(state), ElementType::float32, state_.domain, {1}};
    const bool is_first = alone || rank() == 0;
    if (!is_first) block.box[0].end = 0;
    writer.write(state_, block);
    writer.complete(notes_, is_first ? residuals() : std::vector<double>());
  }

  static std::vector<double> residuals() { return {1, 0.5, 0.3, 0.1}; }

  /// All that was written is there again.
  bool holds_all(MPI_Comm communicator, const std::string& path, Cut cut) const {
    Reader reader(communicator, path);
    reader.verify();
    auto field = OwnedBlock<double>(part_of(field_.domain, cut), Layout::padded);
    auto cells = OwnedBlock<std::int8_t>(part_of(cells_.domain, cut));
    float state[2] = {};
    reader.read("u", field.block());
    reader.read("cells", cells.block());
    reader.read("state", {reinterpret_cast<std::byte*>(state), ElementType::float32, state_.domain, {1}});
    const io::CheckpointNotes& notes = reader.notes();
    return holds_pixels(field) && holds_pixels(cells) && state[0] == 0.25f && state[1] == -7 &&
           reader.residuals() == residuals() && notes.program == notes_.program &&
           notes.version == notes_.version && notes.deck == notes_.deck && notes.problem == notes_.problem &&
           notes.loop == notes_.loop && notes.turns == notes_.turns && notes.residual == notes_.residual;
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "run-00000001.h5";
};

TEST_F(CheckpointFile, IsReadByAnyNumberOfRanksOfAnyNumber) {
  for (const Cut cut : {Cut::rows, Cut::columns, Cut::last_rank}) {
    write(MPI_COMM_WORLD, path_, cut);
    EXPECT_TRUE(holds_all(MPI_COMM_WORLD, path_, cut == Cut::rows ? Cut::columns : Cut::rows));
    EXPECT_TRUE(holds_all(MPI_COMM_SELF, path_, Cut::rows));
  }
  const std::string lone = folder_ / "lone.h5";
  on_rank_0([&] { write(MPI_COMM_SELF, lone, Cut::rows); });
  EXPECT_TRUE(holds_all(MPI_COMM_WORLD, lone, Cut::columns));
  const auto some = io::detail::read_seal(path_), same = io::detail::read_seal(lone);
  ASSERT_EQ(some.size(), 4u);
  for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i].digest, same[i].digest);
  EXPECT_EQ(plain_text_attribute(path_, "deck"), notes_.deck);
  EXPECT_EQ(folder_.files(), (std::vector<std::string>{"lone.h5", "run-00000001.h5"}));
  const Reader reader(MPI_COMM_WORLD, path_);
  ASSERT_EQ(reader.arrays().size(), 3u);
  EXPECT_EQ(reader.arrays()[0].domain, field_.domain);
  EXPECT_EQ(reader.arrays()[1].type, ElementType::int8);
  EXPECT_EQ(reader.arrays()[2].name, "state");
}

// MPI-IO takes the text before a colon for a kind of file system.
TEST_F(CheckpointFile, ItsPathMayHaveColons) {
  on_rank_0([&] { std::filesystem::create_directory(folder_ / "run 12:30"); });
  path_ = folder_ / "run 12:30/a:1.h5";
  write(MPI_COMM_WORLD, path_, Cut::rows);
  EXPECT_TRUE(holds_all(MPI_COMM_WORLD, path_, Cut::columns));
}

TEST_F(CheckpointFile, AnyFlippedBitIsFound) {
  write(MPI_COMM_WORLD, path_, Cut::rows);
  std::string bytes;
  on_rank_0([&] {
    std::ifstream file(path_, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  });
  const auto size = std::filesystem::file_size(path_);
  for (std::size_t trial = 0; trial < 24; ++trial) {
    const auto place = trial * size / 24;
    on_rank_0([&] {
      std::string damaged = bytes;
      damaged[place] = static_cast<char>(damaged[place] ^ (1 << trial % 8));
      std::ofstream(path_, std::ios::binary) << damaged;
    });
    expect_input_error([&] { Reader(MPI_COMM_WORLD, path_).verify(); }, {path_, "damaged"});
  }
}

TEST_F(CheckpointFile, OtherValuesAreFound) {
  write(MPI_COMM_WORLD, path_, Cut::rows);
  on_rank_0([&] {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    const double value = pixel<double>(5, 7, 0);
    const std::string pattern(reinterpret_cast<const char*>(&value), sizeof value);
    const std::size_t place = bytes.find(pattern);
    ASSERT_NE(place, std::string::npos);
    file.clear();
    file.seekp(static_cast<std::streamoff>(place));
    file.put(static_cast<char>(pattern[0] ^ 1));
  });
  Reader reader(MPI_COMM_WORLD, path_);
  expect_input_error([&] { reader.verify(); }, {path_, "damaged checkpoint", "the values of 'u'"});
}

TEST_F(CheckpointFile, TruncatedAndForeignFilesAreRefused) {
  write(MPI_COMM_WORLD, path_, Cut::rows);
  const auto size = std::filesystem::file_size(path_);
  for (const std::uintmax_t length : {size - 1, size / 2, size / 8, std::uintmax_t{0}}) {
    on_rank_0([&] { std::filesystem::resize_file(path_, length); });
    expect_input_error([&] { Reader(MPI_COMM_WORLD, path_).verify(); }, {path_, "damaged"});
  }
  expect_input_error([&] { Reader(MPI_COMM_WORLD, folder_ / "none.h5"); }, {"no such file", "a checkpoint"});
}

TEST_F(CheckpointFile, LeavesNothingBehindThatIsNotComplete) {
  {
    const auto writer = io::create_checkpoint(MPI_COMM_WORLD, path_);
    writer->write(field_, filled<double>(part_of(field_.domain, Cut::rows)).block());
    EXPECT_EQ(folder_.files().size(), 1u);
  }
  EXPECT_TRUE(folder_.files().empty());
  expect_input_error([&] { io::create_checkpoint(MPI_COMM_WORLD, folder_ / "nowhere/a.h5"); },
                     {"nowhere/a.h5", "cannot be written"});
}

TEST_F(CheckpointFile, AfterAFullDiskTheNextOneIsWritten) {
  for (const bool everywhere : {true, false}) {
    const auto writer = io::create_checkpoint(MPI_COMM_WORLD, path_);
    writer->write(cells_, filled<std::int8_t>(part_of(cells_.domain, Cut::rows)).block());
    std::unique_ptr<FullDisk> full;
    if (everywhere || rank() == ranks() - 1) full = std::make_unique<FullDisk>(1000);
    expect_input_error(
        [&] { writer->write(field_, filled<double>(part_of(field_.domain, Cut::rows)).block()); },
        {path_, "cannot be written"});
  }
  EXPECT_TRUE(folder_.files().empty());
  write(MPI_COMM_WORLD, path_, Cut::rows);
  EXPECT_TRUE(holds_all(MPI_COMM_WORLD, path_, Cut::columns));
}

// HDF5 writes the notes at the end.
TEST_F(CheckpointFile, AfterADiskWithoutRoomForTheNotesTheNextOneIsWritten) {
  {
    const auto writer = io::create_checkpoint(MPI_COMM_WORLD, path_);
    writer->write(cells_, filled<std::int8_t>(part_of(cells_.domain, Cut::rows)).block());
    std::unique_ptr<FullDisk> full;
    if (rank() == 0) full = std::make_unique<FullDisk>(18'000);
    expect_input_error([&] { writer->complete(notes_, residuals()); }, {path_, "cannot be written"});
  }
  EXPECT_TRUE(folder_.files().empty());
  write(MPI_COMM_WORLD, path_, Cut::rows);
  EXPECT_TRUE(holds_all(MPI_COMM_WORLD, path_, Cut::columns));
}

}  // namespace
}  // namespace tessera::io_test
