// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/app/job_application.hpp"

namespace matmul {

/// Returns the program. Collective. Throws InputError if the matrices or the deck are faulty.
std::unique_ptr<tessera::app::GraphProgram> make_program(const tessera::app::JobSetting& setting);

}  // namespace matmul
