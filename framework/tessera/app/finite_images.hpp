// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tessera/deck/deck.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::app {

/// Reads an image of floats or doubles, and returns the first point at which it holds NaN or an infinity,
/// such as "(3, 5)". Returns an empty text if there is none, or if the image has another type. Collective:
/// each rank reads some of the rows, and all ranks return the same. Throws InputError if the image cannot be
/// read.
std::string first_not_finite(MPI_Comm communicator, const std::string& path, const io::ImageInfo& info);

/// Throws InputError about the key `key`, which names the image at `path`, if `point` is not empty. `point`
/// is what first_not_finite has returned.
void check_finite(const deck::Deck& deck, const std::string& key, const std::string& path,
                  const std::string& point);

/// Throws the same InputError if a block of the image at `path` has NaN or an infinity. Makes no call of MPI.
void check_finite(const deck::Deck& deck, const std::string& key, const std::string& path,
                  const HostBlock& image);

/// Returns a source with the points of `source`, the image at `path`, that throws the same InputError when a
/// block has NaN or an infinity. `deck` must outlive it.
std::unique_ptr<BlockSource> finite_source(std::unique_ptr<BlockSource> source, const deck::Deck& deck,
                                           const std::string& key, const std::string& path);

}  // namespace tessera::app
