// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::deck::detail {

/// A list of the units of byte sizes, for messages and help texts.
inline constexpr std::string_view size_units =
    "K, M, G, T or KiB, MiB, GiB, TiB: powers of 1024; KB, MB, GB, TB: powers of 1000; or B";

/// Returns the number of bytes that a text such as "64M", "1.5 GiB" or "2 GB" means, rounded down. Upper and
/// lower case are equivalent. Returns nothing if the text is not a size, has no unit, is negative, or does
/// not fit into 64 bits.
std::optional<std::int64_t> parse_byte_size(std::string_view text);

/// Returns a byte size as text in the largest unit in which the size is a whole number, such as "96 MiB".
std::string byte_size_text(std::int64_t bytes);

}  // namespace tessera::deck::detail
