// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/app/graph_application.hpp"

namespace matmul {

/// Returns the declarations of the keys of tessera-matmul.
std::vector<tessera::deck::KeyDeclaration> keys();

/// Returns the names of the tasks and pools of the only graph.
std::vector<tessera::app::GraphNames> graph_names();

/// Returns the program. Collective. Throws InputError if the matrices or the deck are faulty.
std::unique_ptr<tessera::app::GraphProgram> make_program(const tessera::app::JobSetting& setting);

}  // namespace matmul
