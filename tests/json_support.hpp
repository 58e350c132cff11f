// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>

#include "tessera/domain/json.hpp"

namespace tessera {

/// How GoogleTest prints it.
inline void PrintTo(const Json& json, std::ostream* out) { *out << to_text(json); }

}  // namespace tessera
