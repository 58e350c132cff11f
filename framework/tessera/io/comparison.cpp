// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/gatherer.hpp"
#include "tessera/io/detail/interleaved.hpp"
#include "tessera/io/detail/png_writer.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace {

using namespace detail;

constexpr std::int64_t most_points = 512;  ///< the most points that are shown along x and along y
constexpr std::int64_t half_width =
    512;  ///< the width up to which a half of the picture is magnified, in pixels
constexpr std::int64_t separator = 4;
constexpr std::byte separator_colour{255};

/// The middle of one array. The values are on rank 0, as floats, in the order (x, y, channel), x fastest.
struct Crop {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int channels = 1;
  ElementType type = ElementType::uint8;
  std::vector<float> values;
  float white = 1;  ///< the value that is shown as white
};

Box middle_of(const Box& domain) {
  Box box = domain;
  for (int d = 0; d < 2; ++d) {
    const std::int64_t points = std::min(most_points, domain[d].size());
    const std::int64_t begin = domain[d].begin + (domain[d].size() - points) / 2;
    box[d] = {begin, begin + points};
  }
  return box;
}

/// Returns the element type of the array. The result is the same on every rank, including ranks whose blocks
/// are empty and therefore do not tell the type.
ElementType common_type(MPI_Comm communicator, const HostBlock& block) {
  int type = block.box.empty() ? -1 : static_cast<int>(block.type);
  MPI_Allreduce(MPI_IN_PLACE, &type, 1, MPI_INT, MPI_MAX, communicator);
  return static_cast<ElementType>(std::max(type, 0));
}

template <class T>
void assign(Crop& crop, const std::vector<std::byte>& bytes) {
  const auto* values = reinterpret_cast<const T*>(bytes.data());
  crop.values.assign(values, values + bytes.size() / sizeof(T));
  if constexpr (std::numeric_limits<T>::is_integer) {
    crop.white = std::numeric_limits<T>::max();
  } else {
    for (const float value : crop.values)
      if (std::isfinite(value)) crop.white = std::max(crop.white, value);
  }
}

Crop gather_middle(MPI_Comm communicator, const std::string& path, const HostBlock& block,
                   const Box& domain) {
  const ElementType type = common_type(communicator, block);
  const Box box = middle_of(domain);
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  std::vector<std::byte> bytes;
  collectively(communicator, [&] {
    if (type != ElementType::uint8 && type != ElementType::uint16 && type != ElementType::float32)
      fail(path, fmt::format("a comparison shows uint8, uint16 or float32, not {}", name_of(type)),
           "leave it out");
    check_block(block, type, domain);
    if (rank == 0) bytes.resize(static_cast<std::size_t>(box.size()) * size_of(type));
  });
  Gatherer(communicator, block, type, box.size()).gather(packed_block(bytes.data(), type, box));

  Crop crop{
      box[0].size(), box[1].size(), box.dimensions == 3 ? static_cast<int>(box[2].size()) : 1, type, {}, 1};
  if (type == ElementType::uint8) assign<std::uint8_t>(crop, bytes);
  if (type == ElementType::uint16) assign<std::uint16_t>(crop, bytes);
  if (type == ElementType::float32) assign<float>(crop, bytes);
  return crop;
}

std::byte shade(float value, float white) {
  const float scaled = value / white * 255.0F + 0.5F;
  return static_cast<std::byte>(scaled > 0.0F ? std::min(scaled, 255.0F) : 0.0F);
}

/// Writes row `y` of the crop to `samples`. Each point is repeated `factor` times.
void draw_row(const Crop& crop, std::int64_t y, float white, std::int64_t factor, std::byte* samples) {
  for (std::int64_t x = 0; x < crop.width * factor; ++x)
    for (int c = 0; c < crop.channels; ++c) {
      const std::int64_t point = (c * crop.height + y) * crop.width + x / factor;
      *samples++ = shade(crop.values[static_cast<std::size_t>(point)], white);
    }
}

void draw(const UnfinishedFile& file, const Crop& before, const Crop& after) {
  const std::int64_t factor = std::max<std::int64_t>(1, half_width / std::max(before.width, before.height));
  const std::int64_t half = before.width * factor;
  const PngLayout layout{2 * half + separator, before.height * factor, before.channels, 8};
  const float white_after = after.type == before.type ? before.white : after.white;
  PngWriter writer(file, layout, 1);
  writer.write_rows(layout.height, [&](std::int64_t y, std::byte* row) {
    std::fill_n(row, layout.width * layout.channels, separator_colour);
    draw_row(before, y / factor, before.white, factor, row);
    draw_row(after, y / factor, white_after, factor, row + (half + separator) * layout.channels);
  });
  writer.finish();
}

}  // namespace

void write_comparison_png(MPI_Comm communicator, const std::string& path, const HostBlock& before_owned,
                          const HostBlock& after_owned, const Box& domain) {
  if (!is_writable_image(domain))
    fail(path, fmt::format("a comparison shows images of 1, 3 or 4 channels, not {}", to_string(domain)),
         "leave it out");
  UnfinishedFile file(communicator, path);
  const Crop before = gather_middle(communicator, path, before_owned, domain);
  const Crop after = gather_middle(communicator, path, after_owned, domain);
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  collectively(communicator, [&] {
    if (rank == 0) draw(file, before, after);
  });
  file.complete();
}

}  // namespace tessera::io
