// SPDX-License-Identifier: BSD-3-Clause
#include "matrices.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

#include "tessera/app/image_inputs.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/collectively.hpp"

namespace matmul {
namespace {

using tessera::ElementType, tessera::deck::Deck;

/// Throws InputError if the file of a matrix cannot be read, or has neither a header nor a description.
void check_file(const Deck& deck, const std::string& name) {
  const std::string key = name + ".file", path = deck.text_of(key);
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  if (type == std::filesystem::file_type::not_found)
    deck.fail(key, fmt::format("there is no file {}: give the file of a matrix", path));
  if (type == std::filesystem::file_type::directory)
    deck.fail(key, fmt::format("{} is a folder: give the file of a matrix", path));
  if (type == std::filesystem::file_type::none || ::access(path.c_str(), R_OK) != 0)
    deck.fail(key, fmt::format("{} cannot be opened ({}): give a file that can be read", path,
                               error ? error.message() : std::generic_category().message(errno)));
  if (deck.is_set(name + ".raw.shape") || tessera::io::image_format(path) == tessera::io::ImageFormat::hdf5)
    return;
  deck.fail(key, fmt::format("{} is no HDF5 file: give one, or describe its numbers by {}.raw.shape and "
                             "{}.raw.type",
                             path, name, name));
}

/// Reads the header of the matrix `name`. Collective. Throws InputError if it is not a matrix that can be
/// multiplied.
MatrixFile inspect(const tessera::app::JobSetting& setting, const std::string& name) {
  const Deck& deck = setting.deck;
  const std::string key = name + ".file";
  tessera::collectively(setting.session.communicator(), [&] {
    if (setting.session.rank() == 0) check_file(deck, name);
  });
  MatrixFile file{deck.text_of(key),
                  tessera::app::inspect_input(setting.session.communicator(), deck, name, deck.text_of(key))};
  const tessera::io::ImageInfo& info = file.info;
  if (info.domain.dimensions != 2)
    deck.fail(key, fmt::format("{} has {} dimensions, and a matrix has 2: give rows and columns", file.path,
                               info.domain.dimensions));
  if (info.type != ElementType::float32 && info.type != ElementType::float64)
    deck.fail(key, fmt::format("{} is of {}: convert it to float32 or float64", file.path,
                               tessera::name_of(info.type)));
  return file;
}

/// Returns the path, the shape and the type of a matrix for messages.
std::string described(const MatrixFile& file) {
  return fmt::format("{} is {} x {} of {}", file.path, file.rows(), file.columns(),
                     tessera::name_of(file.info.type));
}

/// Throws InputError if the old C is needed, as beta is not 0, and is not given, or if it is given and not
/// needed.
void check_old(const Deck& deck) {
  const bool is_read = deck.get<double>("beta") != 0;
  if (is_read && !deck.is_set("c.file"))
    deck.fail("beta", "the old C is not given: give 'c.file', too, or leave beta out");
  if (is_read) return;
  for (const char* about : {"file", "dataset", "raw.shape", "raw.type", "raw.order", "raw.offset"})
    if (const std::string key = fmt::format("c.{}", about); deck.is_set(key))
      deck.fail(key, "'beta' is 0, so the old C is not read: give beta, or leave this out");
}

}  // namespace

Matrices inspect_matrices(const tessera::app::JobSetting& setting) {
  const Deck& deck = setting.deck;
  check_old(deck);
  Matrices matrices{inspect(setting, "a"), inspect(setting, "b"), std::nullopt};
  const MatrixFile &a = matrices.a, &b = matrices.b;
  const std::string both = fmt::format("{}, and {}", described(a), described(b));
  if (a.info.type != b.info.type) deck.fail("b.file", fmt::format("{}: give matrices of one type", both));
  if (a.columns() != b.rows())
    deck.fail("b.file", fmt::format("{}: give B as many rows as A has columns", both));
  // Sizes of files are counted in 64 bits, and an element has at most 8 bytes.
  if (8.0 * static_cast<double>(a.rows()) * static_cast<double>(b.columns()) > 0x1p62)
    deck.fail("b.file", fmt::format("{}: no file is as large as their product", both));
  if (deck.get<double>("beta") == 0) return matrices;
  matrices.c = inspect(setting, "c");
  if (matrices.c->info.type != a.info.type || matrices.c->rows() != a.rows() ||
      matrices.c->columns() != b.columns())
    deck.fail("c.file",
              fmt::format("{}, but A B is {} x {} of {}: give a matrix like it", described(*matrices.c),
                          a.rows(), b.columns(), tessera::name_of(a.info.type)));
  return matrices;
}

double reading_speed(MPI_Comm communicator, const MatrixFile& file) {
  constexpr std::int64_t most_bytes = std::int64_t(16) << 20;
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  double speed = 0;
  tessera::collectively(communicator, [&] {
    if (rank != 0) return;
    const auto element = static_cast<std::int64_t>(size_of(file.info.type));
    // Reads as many whole rows as have most_bytes, or the beginning of the first row.
    tessera::Box box = file.info.domain;
    box[0].end = std::min(box[0].end, most_bytes / element);
    box[1].end = std::clamp<std::int64_t>(most_bytes / (element * box[0].size()), 1, box[1].end);
    std::vector<std::byte> memory(static_cast<std::size_t>(box.size() * element));
    const auto block = tessera::packed_block(memory.data(), file.info.type, box);
    const auto begin = std::chrono::steady_clock::now();
    tessera::io::open_image(MPI_COMM_SELF, file.path, file.info)->read(block);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    speed = static_cast<double>(memory.size()) / std::max(time.count(), 1e-9);
  });
  MPI_Bcast(&speed, 1, MPI_DOUBLE, 0, communicator);
  return speed;
}

}  // namespace matmul
