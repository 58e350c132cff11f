// SPDX-License-Identifier: BSD-3-Clause
#include "links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "tessera/domain/error.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/collectively.hpp"

namespace pagerank {
namespace {

using tessera::Box;
using tessera::ElementType;
using tessera::InputError;

/// The number of rows that a rank reads at a time.
constexpr std::int64_t rows_at_a_time = std::int64_t(1) << 20;

bool is_integer(ElementType type) {
  switch (type) {
    case ElementType::int8:
    case ElementType::uint8:
    case ElementType::int16:
    case ElementType::uint16:
    case ElementType::int32:
    case ElementType::uint32:
    case ElementType::int64:
    case ElementType::uint64:
      return true;
    default:
      return false;
  }
}

/// Checks rows of integers, and appends them as links.
struct RowReader {
  const std::string& path;
  /// The number of vertices, or the most that there can be.
  std::int64_t vertices;
  /// The greatest vertex so far.
  std::int64_t greatest = -1;

  template <class T>
  void append(const std::byte* memory, std::int64_t first_row, std::int64_t rows, std::vector<Link>& links) {
    const T* const numbers = reinterpret_cast<const T*>(memory);
    for (std::int64_t row = 0; row < rows; ++row)
      links.push_back(
          {vertex(numbers[2 * row], first_row + row), vertex(numbers[2 * row + 1], first_row + row)});
  }

 private:
  template <class T>
  Vertex vertex(T number, std::int64_t row) {
    if (!std::in_range<Vertex>(number) || static_cast<std::int64_t>(number) >= vertices)
      throw InputError(fmt::format("{}: row {} (from 0) has the vertex {}: vertices are 0 to {}", path, row,
                                   number, vertices - 1));
    greatest = std::max(greatest, static_cast<std::int64_t>(number));
    return static_cast<Vertex>(number);
  }
};

}  // namespace

tessera::io::ImageInfo inspect_edge_list(const std::string& path, const std::string& dataset) {
  const tessera::io::ImageInfo info = tessera::io::inspect_image(path, {.dataset = dataset});
  if (info.domain.dimensions != 2 || info.domain[0].size() != 2)
    throw InputError(fmt::format("{}: '{}' has the shape {}: a list of links has two columns, (links, 2)",
                                 path, info.dataset, tessera::to_string(info.domain)));
  if (!is_integer(info.type))
    throw InputError(fmt::format("{}: '{}' is of {}: vertices are integers", path, info.dataset,
                                 tessera::name_of(info.type)));
  return info;
}

Links read_edge_list(MPI_Comm communicator, const std::string& path, const tessera::io::ImageInfo& info,
                     const LinkReading& reading) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  const std::int64_t all = info.domain[1].size();
  const auto bound = [&](std::int64_t part) { return all / ranks * part + all % ranks * part / ranks; };
  const std::int64_t begin = bound(rank), end = bound(rank + 1);
  Links read{.vertices = reading.vertices, .links = {}};
  RowReader reader{path, reading.vertices > 0 ? reading.vertices : most_vertices};
  tessera::collectively(communicator, [&] {
    read.links.reserve(static_cast<std::size_t>(end - begin));
    const auto source = tessera::io::open_image(MPI_COMM_SELF, path, info);
    std::vector<std::byte> memory;
    for (std::int64_t row = begin; row < end; row += rows_at_a_time) {
      const std::int64_t rows = std::min(rows_at_a_time, end - row);
      memory.resize(static_cast<std::size_t>(2 * rows) * size_of(info.type));
      source->read(tessera::packed_block(memory.data(), info.type, Box{{0, 2}, {row, row + rows}}));
      tessera::with_element_type(info.type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>) reader.append<T>(memory.data(), row, rows, read.links);
      });
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, &reader.greatest, 1, MPI_INT64_T, MPI_MAX, communicator);
  if (read.vertices == 0) read.vertices = reader.greatest + 1;
  return read;
}

}  // namespace pagerank
