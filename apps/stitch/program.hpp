// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "composition.hpp"
#include "outputs.hpp"
#include "searches.hpp"
#include "tables.hpp"
#include "tessera/app/graph_application.hpp"
#include "translations.hpp"

namespace stitch {

/// Returns the declarations of the keys of tessera-stitch.
std::vector<tessera::deck::KeyDeclaration> keys();

/// The tasks and pools of the graphs of tessera-stitch, in the order in which they run: translations,
/// searches, composition.
std::vector<tessera::app::GraphNames> graph_names();

/// Returns the program. Collective. Throws InputError if the tiles or the deck are faulty.
std::unique_ptr<tessera::app::GraphProgram> make_program(const tessera::app::GraphSetting& setting);

}  // namespace stitch
