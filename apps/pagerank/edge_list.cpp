// SPDX-License-Identifier: BSD-3-Clause
#include "links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "collective.hpp"
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
  return tessera::with_element_type(type,
                                    []<class T>(std::type_identity<T>) { return std::is_integral_v<T>; });
}

/// Appends the rows `rows` of a file to `links`, and returns the greatest vertex of them. `numbers` has two
/// integers for each row. Throws InputError if one of them is not a vertex, 0 to vertices - 1.
template <class T>
std::int64_t append(const std::string& path, const T* numbers, tessera::Range rows, std::int64_t vertices,
                    std::vector<Link>& links) {
  std::int64_t greatest = -1;
  const auto vertex = [&](T number, std::int64_t row) {
    if (!std::in_range<Vertex>(number) || static_cast<std::int64_t>(number) >= vertices)
      throw InputError(fmt::format("{}: row {} (from 0) has the vertex {}: vertices are 0 to {}", path, row,
                                   number, vertices - 1));
    greatest = std::max(greatest, static_cast<std::int64_t>(number));
    return static_cast<Vertex>(number);
  };
  for (std::int64_t row = rows.begin; row < rows.end; ++row, numbers += 2)
    links.push_back({vertex(numbers[0], row), vertex(numbers[1], row)});
  return greatest;
}

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
  const int rank = rank_in(communicator), ranks = tessera::ranks_of(communicator);
  const std::int64_t all = info.domain[1].size();
  // The first row that the rank `part` reads.
  const auto bound = [&](std::int64_t part) { return all / ranks * part + all % ranks * part / ranks; };
  const std::int64_t begin = bound(rank), end = bound(rank + 1);
  Links read{.vertices = reading.vertices, .links = {}};
  const std::int64_t vertices = reading.vertices > 0 ? reading.vertices : most_vertices;
  std::int64_t greatest = -1;
  tessera::collectively(communicator, [&] {
    read.links.reserve(static_cast<std::size_t>(end - begin));
    const auto source = tessera::io::open_image(MPI_COMM_SELF, path, info);
    std::vector<std::byte> memory;
    for (std::int64_t row = begin; row < end; row += rows_at_a_time) {
      const std::int64_t rows = std::min(rows_at_a_time, end - row);
      memory.resize(static_cast<std::size_t>(2 * rows) * size_of(info.type));
      source->read(tessera::packed_block(memory.data(), info.type, Box{{0, 2}, {row, row + rows}}));
      tessera::with_element_type(info.type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>)
          greatest = std::max(greatest, append(path, reinterpret_cast<const T*>(memory.data()),
                                               {row, row + rows}, vertices, read.links));
      });
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_INT64_T, MPI_MAX, communicator);
  if (read.vertices == 0) read.vertices = greatest + 1;
  return read;
}

}  // namespace pagerank
