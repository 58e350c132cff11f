// SPDX-License-Identifier: BSD-3-Clause
#include "tile_reader.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tessera/domain/error.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/host_copy.hpp"

namespace stitch {
namespace {

using tessera::Box, tessera::ElementType, tessera::HostBlock, tessera::InputError;
namespace io = tessera::io;

std::string described(const io::ImageInfo& info) {
  return fmt::format("{} of {}", tessera::to_string(info.domain), tessera::name_of(info.type));
}

/// Returns the description of values that follow each other in memory.
template <class T>
HostBlock block_of(T* data, ElementType type, const Box& box) {
  return tessera::packed_block(reinterpret_cast<std::byte*>(data), type, box);
}

template <class T>
std::vector<T> read_values(const std::string& path, const io::ImageInfo& info, const Box& box) {
  std::vector<T> values(static_cast<std::size_t>(box.size()));
  io::open_image(MPI_COMM_SELF, path, info)->read(block_of(values.data(), info.type, box));
  return values;
}

void check_kind(const std::string& path, const io::ImageInfo& info) {
  const bool fits = (info.type == ElementType::uint8 || info.type == ElementType::uint16) &&
                    (info.domain.dimensions == 2 || info.domain.dimensions == 3);
  if (!fits)
    throw InputError(fmt::format("{}: a tile is an image of uint8 or uint16, not {}", path, described(info)));
  constexpr std::int64_t most = 65535;
  for (const int d : {0, 1})
    if (info.domain[d].size() > most)
      throw InputError(
          fmt::format("{}: a tile has at most {} pixels a side, not {}", path, most, described(info)));
}

}  // namespace

io::ImageInfo TileReader::inspect(const TileFiles& files, const TileChoice& choice) {
  std::optional<io::ImageInfo> first;
  std::string first_path;
  for (int i = 0; i < files.planes() * files.grid.size(); ++i) {
    const int tile = i % files.grid.size();
    if (!files.grid.has(tile)) continue;
    const std::string path = files.path(tile, i / files.grid.size());
    const io::ImageInfo info = io::inspect_image(path, {.dataset = choice.dataset, .page = choice.page});
    if (!first) {
      check_kind(path, info);
      if (files.channels.size() > 1 && info.domain.dimensions == 3 && info.domain[2].size() > 1)
        throw InputError(fmt::format(
            "{}: this tile has {} channels, but its name has the number of one: leave {{channel}} out of "
            "input.tiles",
            path, info.domain[2].size()));
      first = info;
      first_path = path;
    }
    if (!(info.domain == first->domain) || info.type != first->type || info.format != first->format)
      throw InputError(fmt::format("{}: this tile is {}, but {} is {}: tiles of one plate are alike", path,
                                   described(info), first_path, described(*first)));
  }
  return *first;
}

TileReader::TileReader(TileFiles files, io::ImageInfo info)
    : files_(std::move(files)), info_(std::move(info)) {}

Extent TileReader::extent() const {
  return {static_cast<int>(info_.domain[0].size()), static_cast<int>(info_.domain[1].size())};
}

int TileReader::channels_of_file() const {
  return info_.domain.dimensions == 3 ? static_cast<int>(info_.domain[2].size()) : 1;
}

void TileReader::set_compared(int channel, int slice) {
  compared_ = slice * channels_of_slice() + channel;
  files_.compared = compared_ / channels_of_file();
}

tessera::graph::Place TileReader::place() const {
  const bool has_one_thread = info_.format == io::ImageFormat::hdf5 || info_.format == io::ImageFormat::fits;
  return has_one_thread ? tessera::graph::Place::io() : tessera::graph::Place::threads();
}

bool TileReader::decodes_from_start() const {
  return info_.format == io::ImageFormat::png || info_.format == io::ImageFormat::jpeg;
}

void TileReader::set_flat_field(const std::string& path) {
  const io::ImageInfo info = io::inspect_image(path);
  const Box wanted{info_.domain[0], info_.domain[1]};
  if (!(info.domain == wanted))
    throw InputError(
        fmt::format("{}: the flat field is {}, but tiles are {}: it has one value for each pixel", path,
                    tessera::to_string(info.domain), tessera::to_string(wanted)));
  std::vector<double> light;
  const auto take = [&](const auto& values) { light.assign(values.begin(), values.end()); };
  switch (info.type) {
    case ElementType::uint8:
      take(read_values<std::uint8_t>(path, info, wanted));
      break;
    case ElementType::uint16:
      take(read_values<std::uint16_t>(path, info, wanted));
      break;
    case ElementType::float32:
      take(read_values<float>(path, info, wanted));
      break;
    default:
      throw InputError(fmt::format("{}: a flat field is an image of uint8, uint16 or float32, not {}", path,
                                   tessera::name_of(info.type)));
  }
  double sum = 0;
  for (const double value : light) {
    if (!(std::isfinite(value) && value > 0))
      throw InputError(
          fmt::format("{}: a pixel of the flat field is {}: all must be finite and above 0", path, value));
    sum += value;
  }
  const double mean = sum / static_cast<double>(light.size());
  for (const double value : light) gains_.push_back(static_cast<float>(mean / value));
}

void TileReader::read_file(const std::string& path, tessera::Range channels, tessera::Range rows,
                           std::span<std::uint16_t> to) const {
  Box box = info_.domain;
  box[1] = rows;
  if (box.dimensions == 3) box[2] = channels;
  if (info_.type == ElementType::uint16) {
    io::open_image(MPI_COMM_SELF, path, info_)->read(block_of(to.data(), info_.type, box));
  } else {
    const auto bytes = read_values<std::uint8_t>(path, info_, box);
    std::ranges::copy(bytes, to.begin());
  }
}

void TileReader::read(int tile, tessera::Range channels, tessera::Range rows,
                      std::span<std::uint16_t> to) const {
  const auto size = static_cast<std::size_t>(rows.size() * info_.domain[0].size());
  const int of_file = channels_of_file();
  for (std::int64_t channel = channels.begin; channel < channels.end;) {
    const std::int64_t first = channel % of_file,
                       last = std::min(first + channels.end - channel, std::int64_t(of_file));
    read_file(files_.path(tile, static_cast<int>(channel / of_file)), {first, last}, rows,
              to.subspan(static_cast<std::size_t>(channel - channels.begin) * size,
                         static_cast<std::size_t>(last - first) * size));
    channel += last - first;
  }
  if (gains_.empty()) return;
  const float largest = info_.type == ElementType::uint8 ? 255.0F : 65535.0F;
  const float* const gain = gains_.data() + rows.begin * info_.domain[0].size();
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<std::uint16_t>(std::min(static_cast<float>(to[i]) * gain[i % size] + 0.5F, largest));
}

}  // namespace stitch
