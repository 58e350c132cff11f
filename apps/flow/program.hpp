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

/// Throws InputError about the key of the true flow, which the message calls `name`, if it does not belong to
/// frames with the points `frame`.
void check_truth(const tessera::io::ImageInfo& truth, const tessera::Box& frame,
                 const tessera::deck::Deck& deck, const std::string& key, const std::string& name);

/// Returns the declarations of the keys that say which stages and loops there are.
std::vector<tessera::deck::KeyDeclaration> level_keys();
/// Returns the declarations of the other keys of the method.
std::vector<tessera::deck::KeyDeclaration> method_keys();

/// Returns the declarations of the keys about pictures of the flow. `help` is that of the key picture.blend.
std::vector<tessera::deck::KeyDeclaration> picture_keys(const std::string& help);

/// Sets what the keys of picture_keys say. Throws InputError if they are given and there is no picture, with
/// `outputs` as the keys that would make one.
void set_picture(Extras& extras, const tessera::deck::Deck& deck, const std::string& outputs);

/// Returns the settings that the keys of level_keys say; the others are the defaults.
Settings settings_of_levels(const tessera::deck::Deck& deck);
/// Returns what a deck says about the method. Throws InputError when frames with the points `frame` cannot
/// have so many levels.
Settings settings_of(const tessera::deck::Deck& deck, const tessera::Box& frame);

}  // namespace flow
