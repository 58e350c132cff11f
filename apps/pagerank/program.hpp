// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/app/job_application.hpp"

namespace pagerank {

/// Makes the program. Collective. Throws InputError, on all ranks, when a file cannot be used.
std::unique_ptr<tessera::app::IterationProgram> make_program(const tessera::app::JobSetting& setting);

}  // namespace pagerank
