// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::io::detail {

/// Where a checkpoint holds an array without gaps, and the digest of its points.
struct SealedArray {
  std::int64_t offset = 0;
  std::int64_t points = 0;
  std::int64_t element_bytes = 1;
  std::uint64_t digest = 0;

  std::int64_t bytes() const { return points * element_bytes; }
};

/// What a checkpoint begins with, before HDF5's part: digests by which damage anywhere in the file is found
/// without HDF5, which is not made for damaged files.
inline constexpr std::int64_t seal_bytes = 16384;

/// Writes the seal of a file that HDF5 has closed. Throws InputError about `path`.
void write_seal(const std::string& file_name, const std::string& path,
                const std::vector<SealedArray>& arrays);

/// Reads and checks it, and the file's size. Throws InputError.
std::vector<SealedArray> read_seal(const std::string& path);

/// Throws InputError unless all that the file holds besides arrays is what was written. For one rank.
void check_sealed_rest(const std::string& path, const std::vector<SealedArray>& arrays);

/// The digest of so many points of an array, from the one with this place on.
std::uint64_t digest_in_file(const std::string& path, const SealedArray& array, std::int64_t first,
                             std::int64_t points);

/// Throws InputError that the checkpoint is damaged.
[[noreturn]] void fail_as_damaged(const std::string& path, const std::string& problem);

}  // namespace tessera::io::detail
