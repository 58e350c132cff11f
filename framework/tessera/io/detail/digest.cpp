// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/digest.hpp"

#include <cstring>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/blocks.hpp"

namespace tessera::io::detail {
namespace {

/// Returns a number whose bits depend on all bits of `bits`. Different arguments have different results.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
  bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
  return bits ^ (bits >> 32);
}

template <class Bits>
std::uint64_t digest_of_run(std::int64_t first, std::int64_t points, const std::byte* memory) {
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;  // odd, so that places have different multiples
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < points; ++i) {
    Bits bits;
    std::memcpy(&bits, memory + i * static_cast<std::int64_t>(sizeof bits), sizeof bits);
    sum += mixed(static_cast<std::uint64_t>(first + i + 1) * step + bits);
  }
  return sum;
}

}  // namespace

std::uint64_t digest(const std::byte* memory, std::size_t element_bytes, std::int64_t first,
                     std::int64_t points) {
  switch (element_bytes) {
    case 1:
      return digest_of_run<std::uint8_t>(first, points, memory);
    case 2:
      return digest_of_run<std::uint16_t>(first, points, memory);
    case 4:
      return digest_of_run<std::uint32_t>(first, points, memory);
    case 8:
      return digest_of_run<std::uint64_t>(first, points, memory);
    default:
      throw InternalError("elements have 1, 2, 4 or 8 bytes");
  }
}

std::uint64_t digest(const HostBlock& block, const Box& domain) {
  std::uint64_t sum = 0;
  for_each_run(block, domain, [&](std::int64_t first, std::int64_t points, const std::byte* memory) {
    sum += digest(memory, size_of(block.type), first, points);
  });
  return sum;
}

std::uint64_t digest(std::string_view text) {
  return digest(reinterpret_cast<const std::byte*>(text.data()), 1, 0,
                static_cast<std::int64_t>(text.size())) +
         text.size();
}

}  // namespace tessera::io::detail
