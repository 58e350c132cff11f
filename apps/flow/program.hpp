// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "pipeline.hpp"
#include "tessera/app/pipeline_application.hpp"

namespace flow {

/// Returns the description of the program.
tessera::app::PipelineApplication program();

/// Throws InputError about the key of a frame if the program does not accept it.
void check_frame(const tessera::io::ImageInfo& frame, const tessera::deck::Deck& deck,
                 const std::string& key);

/// Returns the declarations of the keys that say which stages and loops there are.
std::vector<tessera::deck::KeyDeclaration> level_keys();
/// Returns the declarations of the other keys of the method.
std::vector<tessera::deck::KeyDeclaration> method_keys();

/// Returns the settings that the keys of level_keys say; the others are the defaults.
Settings settings_of_levels(const tessera::deck::Deck& deck);
/// Returns what a deck says about the method. Throws InputError when frames with the points `frame` cannot
/// have so many levels.
Settings settings_of(const tessera::deck::Deck& deck, const tessera::Box& frame);

}  // namespace flow
