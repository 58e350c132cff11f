// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/parts.hpp"

#include <fmt/format.h>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {

bool Parts::is_next(const Box& part) const {
  if (part.dimensions != domain_.dimensions || part.empty()) return false;
  Box all = domain_;
  std::int64_t written = written_;
  for (int slowest = domain_.dimensions - 1;; --slowest) {
    for (int cut = 0; cut < part.dimensions; ++cut) {
      Box layers = all;
      layers[cut] = part[cut];
      const std::int64_t before = all.size() / all[cut].size() * (part[cut].begin - all[cut].begin);
      if (layers == part && before == written && part[cut].end <= all[cut].end) return true;
    }
    if (slowest == 0) return false;
    // Else it may be one of the parts of the present layer.
    const std::int64_t points = all.size() / all[slowest].size(),
                       layer = all[slowest].begin + written / points;
    all[slowest] = {layer, layer + 1};
    written %= points;
  }
}

void Parts::take(const HostBlock& block, const Box& part, ElementType type) {
  std::int64_t points = block.box.size();
  if (ranks_of(communicator_) > 1)
    MPI_Allreduce(MPI_IN_PLACE, &points, 1, MPI_INT64_T, MPI_SUM, communicator_);
  collectively(communicator_, [&] {
    if (complete()) throw InternalError(fmt::format("{} was already written", path_));
    if (!is_next(part))
      throw InternalError(
          fmt::format("{}: {} is not the next part of {}", path_, to_string(part), to_string(domain_)));
    check_block(block, type, part);
    if (points != part.size())
      throw InternalError(fmt::format("the ranks' blocks have {} points together, but {} has {}", points,
                                      to_string(part), part.size()));
  });
  written_ += part.size();
}

}  // namespace tessera::io::detail
