// SPDX-License-Identifier: BSD-3-Clause
// Prints docs/operators.md, as the registry has it.
#include <cstdio>

#include "tessera/operators/registry.hpp"

int main() { std::fputs(tessera::operators::documentation().c_str(), stdout); }
