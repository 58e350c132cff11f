// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/image_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace tessera::app {
namespace {

/// The bytes that a rank reads at a time.
constexpr std::int64_t piece_bytes = std::int64_t{8} << 20;

/// Returns the index of the first number that is not finite, or `count` if there is none.
template <class T>
std::int64_t find_not_finite(const std::byte* numbers, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    T number;
    std::memcpy(&number, numbers + i * static_cast<std::int64_t>(sizeof number), sizeof number);
    if (!std::isfinite(number)) return i;
  }
  return count;
}

std::int64_t find_not_finite(const std::byte* numbers, std::int64_t count, ElementType type) {
  return type == ElementType::float32 ? find_not_finite<float>(numbers, count)
                                      : find_not_finite<double>(numbers, count);
}

bool may_be_not_finite(ElementType type) {
  return type == ElementType::float32 || type == ElementType::float64;
}

/// Returns the index in `domain`, x fastest, of point number `index` of `box`.
std::int64_t index_in(const Box& domain, const Box& box, std::int64_t index) {
  std::int64_t result = 0, stride = 1;
  for (int d = 0; d < box.dimensions; ++d) {
    result += stride * (box[d].begin + index % box[d].size() - domain[d].begin);
    index /= box[d].size();
    stride *= domain[d].size();
  }
  return result;
}

std::string point_text(const Box& domain, std::int64_t index) {
  std::vector<std::int64_t> point;
  for (int d = 0; d < domain.dimensions; ++d) {
    point.push_back(domain[d].begin + index % domain[d].size());
    index /= domain[d].size();
  }
  return fmt::format("({})", fmt::join(point, ", "));
}

/// A source that refuses blocks with NaN or an infinity.
class FiniteSource final : public BlockSource {
 public:
  FiniteSource(std::unique_ptr<BlockSource> source, const deck::Deck& deck, std::string key, std::string path)
      : source_(std::move(source)), deck_(deck), key_(std::move(key)), path_(std::move(path)) {}
  void read(const HostBlock& block) override {
    source_->read(block);
    check_finite(deck_, key_, path_, block);
  }

 private:
  std::unique_ptr<BlockSource> source_;
  const deck::Deck& deck_;
  std::string key_, path_;
};

}  // namespace

std::string first_not_finite(MPI_Comm communicator, const std::string& path, const io::ImageInfo& info) {
  if (!may_be_not_finite(info.type)) return "";
  int ranks = 1, rank = 0;
  MPI_Comm_size(communicator, &ranks);
  MPI_Comm_rank(communicator, &rank);
  const Range rows = info.domain[1];
  const std::int64_t row_bytes =
      info.domain.size() / rows.size() * static_cast<std::int64_t>(size_of(info.type));
  const std::int64_t piece = std::clamp<std::int64_t>(piece_bytes / row_bytes, 1, rows.size());
  const auto source = io::open_image(communicator, path, info);
  std::vector<std::byte> memory(static_cast<std::size_t>(piece * row_bytes));
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t y = rows.begin; y < rows.end; y += ranks * piece) {
    Box box = info.domain;
    box[1] = {std::min(y + rank * piece, rows.end), std::min(y + (rank + 1) * piece, rows.end)};
    source->read(packed_block(memory.data(), info.type, box));
    const std::int64_t found = find_not_finite(memory.data(), box.size(), info.type);
    if (found < box.size()) first = std::min(first, index_in(info.domain, box, found));
  }
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, communicator);
  return first == std::numeric_limits<std::int64_t>::max() ? "" : point_text(info.domain, first);
}

void check_finite(const deck::Deck& deck, const std::string& key, const std::string& path,
                  const std::string& point) {
  if (!point.empty())
    deck.fail(key, fmt::format("{} has no finite number at {}: give one of finite numbers", path, point));
}

void check_finite(const deck::Deck& deck, const std::string& key, const std::string& path,
                  const HostBlock& image) {
  const Box& box = image.box;
  if (box.empty() || !may_be_not_finite(image.type)) return;
  const std::int64_t width = box[0].size();
  for (std::int64_t row = 0; row < box.size() / width; ++row) {
    // The coordinates of the row are the digits of its number.
    std::int64_t offset = 0, rest = row;
    for (int d = 1; d < box.dimensions; ++d) {
      offset += rest % box[d].size() * image.strides[d];
      rest /= box[d].size();
    }
    const std::byte* numbers = image.data + offset * static_cast<std::int64_t>(size_of(image.type));
    if (const std::int64_t found = find_not_finite(numbers, width, image.type); found < width)
      check_finite(deck, key, path, point_text(box, row * width + found));
  }
}

std::unique_ptr<BlockSource> finite_source(std::unique_ptr<BlockSource> source, const deck::Deck& deck,
                                           const std::string& key, const std::string& path) {
  return std::make_unique<FiniteSource>(std::move(source), deck, key, path);
}

}  // namespace tessera::app
