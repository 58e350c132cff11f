// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"

namespace spectrum {
namespace {

using namespace tessera;

/// Returns the sum of the magnitudes of some rows of weights.
double sum_of_magnitudes(const deck::Deck& deck, ElementType type, BlockSource& source, const Box& rows) {
  const std::size_t size = size_of(type);
  std::vector<std::byte> weights(static_cast<std::size_t>(rows.size()) * size);
  source.read(packed_block(weights.data(), type, rows));
  double sum = 0;
  for (std::int64_t at = 0; at < rows.size(); ++at) {
    const double weight = number_at(type, weights.data() + static_cast<std::size_t>(at) * size);
    if (!std::isfinite(weight))
      deck.fail("kernel.file", fmt::format("the weight ({}, {}) is {}: give finite ones", at % rows[0].size(),
                                           rows[1].begin + at / rows[0].size(), weight));
    sum += std::abs(weight);
  }
  return sum;
}

}  // namespace

void check_kernel(const deck::Deck& deck, const io::ImageInfo& file, BlockSource& source) {
  if (file.domain.dimensions != 2)
    deck.fail("kernel.file",
              fmt::format("the kernel is {}: give one without channels", to_string(file.domain)));
  constexpr ElementType types[] = {ElementType::uint8, ElementType::uint16, ElementType::float32,
                                   ElementType::float64};
  if (std::ranges::find(types, file.type) == std::end(types))
    deck.fail("kernel.file", fmt::format("the kernel is of {}: give one of uint8, uint16, float32 or float64",
                                         name_of(file.type)));
  // A kernel may be as large as the image, so that it is read in bands of rows.
  const std::int64_t rows_at_a_time =
      std::max<std::int64_t>(1, (std::int64_t{1} << 20) / file.domain[0].size());
  double sum = 0;
  for (Box rows = file.domain; rows[1].begin < file.domain[1].end; rows[1].begin = rows[1].end) {
    rows[1].end = std::min(rows[1].begin + rows_at_a_time, file.domain[1].end);
    sum += sum_of_magnitudes(deck, file.type, source, rows);
  }
  if (sum == 0) deck.fail("kernel.file", "all weights are 0: give a kernel with others");
  if (!std::isfinite(sum))
    deck.fail("kernel.file", "the sum of the weights is too large for numbers of 64 bits: give smaller ones");
}

}  // namespace spectrum
