// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/domain/error.hpp"

namespace stitch {

/// Returns the message of the InputError that a task throws, or an empty text.
template <class Task>
std::string error_of(const Task& task) {
  try {
    task();
  } catch (const tessera::InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace stitch
