// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <string>

#include "program_runs.hpp"

namespace tessera::app_test {

/// The variable that distinguishes a run's processes from others.
inline constexpr const char* rank_mark = "TESSERA_TEST_MARK";

/// The process of a rank of a run of `program` that has this mark in its environment. Polls for it, up to
/// half a minute; 0: there is none.
pid_t wait_for_rank(const std::string& program, const std::string& mark, int rank);

}  // namespace tessera::app_test
