// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/deck/deck.hpp"

namespace tessera::app {

/// Returns whether `a` comes before `b` in natural order: runs of digits are compared as numbers, and all
/// else byte by byte, so that "f2" comes before "f10". Texts that are equal in this sense are ordered by
/// their bytes.
bool is_before(std::string_view a, std::string_view b);

/// Returns the files that `entries` name, which are from the key `key` of a deck: an entry is a file, or a
/// pattern such as frames/*.png, whose files come in natural order. Only the last part of a path may be a
/// pattern. Throws InputError about the key when a file or folder is missing, or when a pattern is faulty or
/// matches nothing. Looks at the file system, so that one rank should call it.
std::vector<std::string> matching_files(const deck::Deck& deck, const std::string& key,
                                        const std::vector<std::string>& entries);

/// Returns the files that a key, which holds a list, names on rank 0. Collective. Throws the exceptions of
/// the function above on all ranks.
std::vector<std::string> matching_files(MPI_Comm communicator, const deck::Deck& deck,
                                        const std::string& key);

/// Returns the pattern of results that is the value of the key `key`, with all placeholders replaced: {name}
/// by the name of the file `input` without its folder and ending, and {index} by `index`, with as many digits
/// as the last one of `count` indices has. Throws InputError about the key when there is an unknown
/// placeholder.
std::string expanded(const deck::Deck& deck, const std::string& key, const std::string& input,
                     std::int64_t index, std::int64_t count);

}  // namespace tessera::app
