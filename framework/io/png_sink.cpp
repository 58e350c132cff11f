// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/gatherer.hpp"
#include "tessera/io/detail/png_samples.hpp"
#include "tessera/io/detail/png_writer.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace {

using namespace detail;

constexpr std::int64_t band_bytes = std::int64_t{8} << 20;

/// The layout of the file that holds an array, or InputError when PNG cannot hold it.
PngLayout layout_for(const std::string& path, const Box& domain, ElementType type) {
  const std::string advice = "write HDF5 instead";
  if (type != ElementType::uint8 && type != ElementType::uint16 && type != ElementType::float32)
    fail(path, fmt::format("PNG holds uint8, uint16 or float32, not {}", name_of(type)), advice);
  const std::int64_t channels = domain.dimensions == 3 ? domain[2].size() : 1;
  if (domain.empty() || domain.dimensions < 2 || domain.dimensions > 3 || (channels != 1 && channels != 3))
    fail(path, fmt::format("PNG holds images of 1 or 3 channels, not {}", to_string(domain)), advice);
  // A row is one message at most, whose bytes are counted by an int.
  const std::int64_t row_bytes = domain[0].size() * channels * static_cast<std::int64_t>(size_of(type));
  if (row_bytes > std::numeric_limits<int>::max() || domain[1].size() > std::numeric_limits<int>::max())
    fail(path, fmt::format("{} is too large for PNG", to_string(domain)), advice);
  return {domain[0].size(), domain[1].size(), static_cast<int>(channels),
          type == ElementType::uint8 ? 8 : 16};
}

class PngSink : public BlockSink {
 public:
  PngSink(MPI_Comm communicator, const std::string& path, const Box& domain, ElementType type)
      : communicator_(communicator),
        layout_(layout_for(path, domain, type)),
        domain_(domain),
        type_(type),
        file_(communicator, path) {
    MPI_Comm_rank(communicator_, &rank_);
  }

  void write(const HostBlock& block) override {
    collectively(communicator_, [&] {
      if (written_) throw InternalError(fmt::format("{} was already written", file_.path()));
      check_block(block, type_, domain_);
    });
    check_cover(communicator_, block, domain_);
    written_ = true;

    const std::int64_t row_points = domain_[0].size() * layout_.channels;
    const std::int64_t row_bytes = row_points * static_cast<std::int64_t>(size_of(type_));
    const std::int64_t rows = std::clamp<std::int64_t>(band_bytes / row_bytes, 1, domain_[1].size());
    Gatherer gatherer(communicator_, block, type_, rows * row_points);
    encode(gatherer, rows, static_cast<std::size_t>(row_bytes));
    file_.complete();
  }

 private:
  void encode(Gatherer& gatherer, std::int64_t rows, std::size_t row_bytes) {
    std::vector<std::byte> band;
    std::vector<std::byte> samples;
    std::optional<PngWriter> writer;
    collectively(communicator_, [&] {
      if (rank_ != 0) return;
      band.resize(static_cast<std::size_t>(rows) * row_bytes);
      samples.resize(row_bytes);
      writer.emplace(file_, layout_);
    });
    stream(gatherer, rows, band, [&](const HostBlock& whole_rows) {
      for (std::int64_t y = whole_rows.box[1].begin; y < whole_rows.box[1].end; ++y) {
        make_row(whole_rows, y, samples.data());
        writer->write_row(samples.data());
      }
    });
    collectively(communicator_, [&] {
      if (writer) writer->finish();
    });
  }

  /// Brings the image to rank 0 band by band, and calls `use` there. The other ranks cannot know that `use`
  /// has failed, and keep sending, so rank 0 keeps receiving.
  template <class Use>
  void stream(Gatherer& gatherer, std::int64_t rows, std::vector<std::byte>& memory, const Use& use) {
    std::exception_ptr failure;
    for (std::int64_t y = domain_[1].begin; y < domain_[1].end; y += rows) {
      Box box = domain_;
      box[1] = {y, std::min(y + rows, domain_[1].end)};
      const HostBlock band = packed_block(memory.data(), type_, box);
      gatherer.gather(band);
      if (rank_ != 0 || failure) continue;
      try {
        use(band);
      } catch (...) {
        failure = std::current_exception();
      }
    }
    collectively(communicator_, [&] {
      if (failure) std::rethrow_exception(failure);
    });
  }

  MPI_Comm communicator_;
  int rank_ = 0;
  PngLayout layout_;
  Box domain_;
  ElementType type_;
  UnfinishedFile file_;
  bool written_ = false;
};

}  // namespace

std::unique_ptr<BlockSink> create_png(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type) {
  return std::make_unique<PngSink>(communicator, path, domain, type);
}

}  // namespace tessera::io
