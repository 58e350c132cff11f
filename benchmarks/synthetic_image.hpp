// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace bench {

/// Noise of 32 bits at (x, y) of channel c.
inline std::uint32_t synthetic_hash(int x, int y, int c) {
  const auto ux = static_cast<std::uint32_t>(x), uy = static_cast<std::uint32_t>(y),
             uc = static_cast<std::uint32_t>(c);
  std::uint32_t hash = ux * 0x9E3779B1u ^ uy * 0x85EBCA77u ^ uc * 0xC2B2AE3Du;
  hash = (hash ^ hash >> 15) * 0x2C1B3C6Du;
  hash = (hash ^ hash >> 12) * 0x297A2D39u;
  return hash ^ hash >> 15;
}

/// A 16-bit sample at (x, y) of channel c, in integer arithmetic, so that other programs can make the same
/// image bit by bit: smooth shading (three quarters of the range), squares of 64 pixels (an eighth) and noise
/// (an eighth). The formula is the one that the Halide and OpenCV peers take their inputs from.
inline std::uint16_t synthetic_sample(int x, int y, int c = 0) {
  const auto ux = static_cast<std::uint32_t>(x), uy = static_cast<std::uint32_t>(y),
             uc = static_cast<std::uint32_t>(c);
  const auto triangle = [](std::uint32_t t) {
    t &= 65535u;
    return t < 32768u ? t : 65535u - t;
  };
  const std::uint32_t smooth = (triangle(ux * 251u + uy * 97u + uc * 9000u) +
                                triangle(ux * 41u + 65536u - (uy * 173u & 65535u) + uc * 3000u)) *
                               3u / 4u;
  const std::uint32_t squares = (((ux >> 6) ^ (uy >> 6)) & 1u) != 0 ? 8191u : 0u;
  return static_cast<std::uint16_t>(smooth + squares + (synthetic_hash(x, y, c) >> 19));
}

}  // namespace bench
