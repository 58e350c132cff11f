// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/image_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/sinks.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace {

using namespace detail;

constexpr std::int64_t most_points = 512;  ///< the most points that are shown along x and along y
/// A half of the picture is magnified up to this width in pixels.
constexpr std::int64_t half_width = 512;
constexpr std::int64_t separator = 4;
constexpr std::byte separator_colour{255};

/// The middle of one array. The points are on rank 0, in the order (x, y, channel), x fastest.
struct Crop {
  Box box;
  ElementType type = ElementType::uint8;
  std::vector<std::byte> bytes;
  float white = 1;  ///< the value that is shown as white

  std::int64_t points() const { return static_cast<std::int64_t>(bytes.size() / size_of(type)); }
  float at(std::int64_t point) const {
    return static_cast<float>(
        number_at(type, bytes.data() + point * static_cast<std::int64_t>(size_of(type))));
  }
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

float white_of(const Crop& crop) {
  if (crop.type == ElementType::uint8) return 255;
  if (crop.type == ElementType::uint16) return 65535;
  float white = 1;
  for (std::int64_t point = 0; point < crop.points(); ++point)
    if (const float value = crop.at(point); std::isfinite(value)) white = std::max(white, value);
  return white;
}

Crop gather_middle(MPI_Comm communicator, const std::string& path, const HostBlock& block,
                   const Box& domain) {
  const ElementType type = common_type(communicator, block);
  Crop crop{middle_of(domain), type, {}};
  collectively(communicator, [&] {
    if (!format_of(ImageFormat::png).holds(type))
      fail(path, fmt::format("a comparison shows uint8, uint16 or float32, not {}", name_of(type)),
           "leave it out");
    check_block(block, type, domain);
    if (rank_in(communicator) == 0)
      crop.bytes.resize(static_cast<std::size_t>(crop.box.size()) * size_of(type));
  });
  Gatherer(communicator, block, type, crop.box.size())
      .gather(packed_block(crop.bytes.data(), type, crop.box));
  crop.white = white_of(crop);
  return crop;
}

std::byte shade(float value, float white) {
  const float scaled = value / white * 255.0F + 0.5F;
  return static_cast<std::byte>(scaled > 0.0F ? std::min(scaled, 255.0F) : 0.0F);
}

/// Draws the crop into the picture, from its column `x` on. Each point is repeated `factor` times along x and
/// along y.
void draw(const Crop& crop, float white, std::int64_t factor, std::int64_t x, const HostBlock& picture) {
  const std::int64_t width = crop.box[0].size(), height = crop.box[1].size();
  for (std::int64_t c = 0; c < channels_of(crop.box).size(); ++c)
    for (std::int64_t y = 0; y < height * factor; ++y)
      for (std::int64_t i = 0; i < width * factor; ++i) {
        const std::int64_t point = (c * height + y / factor) * width + i / factor;
        picture.data[(c * picture.box[1].size() + y) * picture.box[0].size() + x + i] =
            shade(crop.at(point), white);
      }
}

}  // namespace

void write_comparison_png(MPI_Comm communicator, const std::string& path, const HostBlock& before_owned,
                          const HostBlock& after_owned, const Box& domain) {
  if (!format_of(ImageFormat::png).holds(domain))
    fail(path, fmt::format("a comparison shows images of 1, 3 or 4 channels, not {}", to_string(domain)),
         "leave it out");
  const Box shown = middle_of(domain);
  const std::int64_t factor =
      std::max<std::int64_t>(1, half_width / std::max(shown[0].size(), shown[1].size()));
  const std::int64_t half = shown[0].size() * factor;
  const Box box = image_domain(2 * half + separator, shown[1].size() * factor, channels_of(shown).size());
  const auto sink = create_image(communicator, ImageFormat::png, path, box, ElementType::uint8);
  const Crop before = gather_middle(communicator, path, before_owned, domain);
  const Crop after = gather_middle(communicator, path, after_owned, domain);
  std::vector<std::byte> picture;
  HostBlock block;
  on_rank_0(communicator, [&] {
    picture.assign(static_cast<std::size_t>(box.size()), separator_colour);
    block = packed_block(picture.data(), ElementType::uint8, box);
    draw(before, before.white, factor, 0, block);
    draw(after, after.type == before.type ? before.white : after.white, factor, half + separator, block);
  });
  sink->write(block);
}

}  // namespace tessera::io
