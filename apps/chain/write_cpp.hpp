// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "chain.hpp"

namespace chain {

/// Returns the text of a C++ program that computes the same as the chain, bit by bit. `name` is the name of
/// the program.
std::string cpp_of(const Chain& chain, const std::string& name);

/// Writes this program to the file `path`, and returns a line that says so. Throws InputError if the file
/// cannot be written.
std::string write_cpp(const Chain& chain, const std::string& path);

}  // namespace chain
