// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/io/detail/files.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Returns the digest of the points of a block: a sum modulo 2^64 of one number per point. The number of a
/// point is computed from its place in `domain` and its bits. If `domain` is divided into blocks, the digests
/// of these blocks have the same sum for every division. A change of a single point always changes the
/// digest.
std::uint64_t digest(const HostBlock& block, const Box& domain);

/// Returns the digest of `points` points that follow each other in memory. `first` is the place of the first
/// point. An element has 1, 2, 4 or 8 bytes.
std::uint64_t digest(const std::byte* memory, std::size_t element_bytes, std::int64_t first,
                     std::int64_t points);

/// The place of an array in a checkpoint, and the digest of its points, which is a checksum. The file holds
/// the points of the array without gaps.
struct SealedArray {
  std::int64_t offset = 0;
  std::int64_t points = 0;
  std::int64_t element_bytes = 1;
  std::uint64_t digest = 0;

  std::int64_t bytes() const { return points * element_bytes; }
};

/// The size of the seal in bytes. The seal is text at the beginning of a checkpoint, before the part of the
/// file that HDF5 writes. It contains digests of the whole file. With these digests, Tessera finds damage
/// before it calls HDF5, which is not made for damaged files.
inline constexpr std::int64_t seal_bytes = 16384;

/// Writes the seal into the file, which HDF5 has already closed. Throws InputError.
void write_seal(const UnfinishedFile& output, const std::vector<SealedArray>& arrays);

/// Reads the seal, and returns the arrays that it describes. Throws InputError when the seal is damaged, when
/// the file has another size than the seal says, or, if `checks_rest`, when other parts of the file besides
/// the arrays are damaged. One rank is enough to check these.
std::vector<SealedArray> read_seal(const std::string& path, bool checks_rest = false);

/// Returns the digest of `points` points of an array, beginning with the point number `first`.
std::uint64_t digest_in_file(const std::string& path, const SealedArray& array, std::int64_t first,
                             std::int64_t points);

/// Throws InputError which says that the checkpoint at `path` is damaged. `problem` describes the damage.
[[noreturn]] void fail_as_damaged(const std::string& path, const std::string& problem);

}  // namespace tessera::io::detail
