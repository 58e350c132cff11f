// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tessera::cost {

/// A part of the work of a program that runs no plans, as the rank with the most work does it. Its work with
/// files, memory, processors and messages overlaps. The numbers are those of one run of the part.
struct WorkPart {
  /// A name for people.
  std::string name;
  /// How often it is done. Turns count with their greatest number.
  double times = 1;
  /// The bytes that it reads from files.
  double read_bytes = 0;
  /// The bytes that it writes to files.
  double written_bytes = 0;
  /// The bytes that it reads from memory and writes to it.
  double memory_bytes = 0;
  /// The operations with numbers of float. One with numbers of double counts as two.
  double operations = 0;
  /// The number of messages that the rank sends or receives.
  double messages = 0;
  /// The bytes of all messages.
  double message_bytes = 0;
  /// The number of kernels that all threads of the rank start and end together.
  double launches = 0;
};

/// The work of a program that runs no plans, on the rank with the most work.
struct Work {
  /// The parts, which are done one after the other.
  std::vector<WorkPart> parts = {};
  /// Lines that say what is assumed, or not known before a run.
  std::vector<std::string> notes = {};
};

}  // namespace tessera::cost
