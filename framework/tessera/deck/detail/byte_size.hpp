// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::deck::detail {

/// The units of sizes, for messages and help texts.
inline constexpr std::string_view size_units =
    "K, M, G, T or KiB, MiB, GiB, TiB: powers of 1024; KB, MB, GB, TB: powers of 1000; or B";

/// The bytes that a text such as "64M", "1.5 GiB" or "2 GB" means, rounded down. Capitals and small letters
/// are the same. Nothing when it is no size, has no unit, is negative, or is more than 64 bits hold.
std::optional<std::int64_t> parse_byte_size(std::string_view text);

/// The same size in the largest unit in which it is a whole number: "96 MiB".
std::string byte_size_text(std::int64_t bytes);

}  // namespace tessera::deck::detail
